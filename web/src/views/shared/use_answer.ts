// What a button says for a moment after it was pressed.

import {useState} from "preact/hooks";

export function useAnswer(usual: string): [text: string, say: (answer: string) => void] {
  const [text, setText] = useState(usual);
  const say = (answer: string) => {
    setText(answer);
    setTimeout(() => setText(usual), 1500);
  };
  return [text, say];
}
