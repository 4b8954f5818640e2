// What the server answers to one question, asked anew when `key` changes.

import {useEffect, useState} from "preact/hooks";
import {problemOf} from "../../model/text";

interface Answered<T> {
  readonly answer: T | null; // null: not here yet
  readonly problem: string;
}

// "": it is not asked.
export function useAnswered<T>(ask: () => Promise<T>, key: string): Answered<T> {
  const [answered, setAnswered] = useState<Answered<T>>({answer: null, problem: ""});
  useEffect(() => {
    if (key === "") return;
    let isGone = false;
    ask().then(
      (answer) => {
        if (!isGone) setAnswered({answer, problem: ""});
      },
      (error: unknown) => {
        if (!isGone) setAnswered({answer: null, problem: problemOf(error)});
      },
    );
    return () => {
      isGone = true;
    };
  }, [key]);
  return answered;
}
