// What a finding means, how it shows and what to change: as `rankscope explain` says it.

import {Fragment} from "preact";
import {useState} from "preact/hooks";
import {getExplanation} from "../../model/api";
import {blocksOf, type Block, piecesOf} from "../../model/markdown";
import {visible} from "../../model/text";
import {useAnswered} from "../shared/use_answered";

function Words({text}: {readonly text: string}) {
  return <>{piecesOf(visible(text)).map(({text: piece, isCode}) => (isCode ? <code>{piece}</code> : piece))}</>;
}

type Level = "h2" | "h4";

function BlockOf({block, heading: Heading}: {readonly block: Block; readonly heading: Level}) {
  if (block.kind === "heading") return <Heading>{block.text}</Heading>;
  if (block.kind === "code")
    return (
      <pre tabIndex={0}>
        {block.text.split("\n").map((line, i) => (
          <Fragment key={i}>
            <code>{line}</code>
            <br />
          </Fragment>
        ))}
      </pre>
    );
  if (block.kind === "list")
    return (
      <ul>
        {block.items.map((item) => (
          <li key={item}>
            <Words text={item} />
          </li>
        ))}
      </ul>
    );
  return (
    <p>
      <Words text={block.text} />
    </p>
  );
}

// Below a heading of its own, which is the text's title.
export function ExplanationText({markdown, heading}: {readonly markdown: string; readonly heading: Level}) {
  const blocks = blocksOf(markdown).filter((block) => block.kind !== "heading" || block.level > 1);
  return (
    <div class="explanation">
      {blocks.map((block, i) => (
        <BlockOf key={i} block={block} heading={heading} />
      ))}
    </div>
  );
}

// Asked for when it is opened.
export function Explanation({cause}: {readonly cause: string}) {
  const [isOpen, setOpen] = useState(false);
  const {answer: text, problem} = useAnswered(() => getExplanation(cause), isOpen ? cause : "");
  return (
    <details class="explain" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What is this?</summary>
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
      {text === null ? (
        problem === "" ? (
          <p class="muted">Reading {"\u2026"}</p>
        ) : null
      ) : (
        <ExplanationText markdown={text} heading="h4" />
      )}
    </details>
  );
}
