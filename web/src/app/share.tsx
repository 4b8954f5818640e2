// A link to what is seen: copied, and shown where the browser does not let pages copy.

import {useState} from "preact/hooks";
import {copyText} from "../draw/save";
import {useApp} from "../views/shared/app_state";

export function Share() {
  const {sharing} = useApp();
  const [said, setSaid] = useState("");
  const [link, setLink] = useState("");
  const take = async () => {
    try {
      const made = await sharing.linkToHere();
      const isCopied = await copyText(made);
      setLink(isCopied ? "" : made);
      setSaid(isCopied ? "Copied" : "Select it");
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
    setTimeout(() => setSaid(""), 2500);
  };
  return (
    <span class="share">
      {link === "" ? null : (
        <input
          type="text"
          readOnly
          size={24}
          value={link}
          aria-label="Link to this page"
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
      <button type="button" title="Copies a link to what is seen here" onClick={() => void take()}>
        Share
      </button>
      <span class="share-said" aria-live="polite">
        {said}
      </span>
    </span>
  );
}
