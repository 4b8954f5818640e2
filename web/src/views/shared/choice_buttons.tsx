// Buttons of which one is pressed.

import {isMarked} from "../../draw/choosable";
import {useDrawing} from "../../draw/drawing";
import {numbersOf} from "../../model/ranks";

interface ChoiceButtons {
  readonly labels: readonly string[];
  readonly chosen: number;
  readonly choose: (i: number) => void;
  // The rank that each only shows, where it is one's.
  readonly ranks?: readonly string[];
}
export function ChoiceButtons({labels, chosen, choose, ranks}: ChoiceButtons) {
  const {choice} = useDrawing();
  const isShown = (i: number) => ranks !== undefined && isMarked(choice, numbersOf(ranks[i]));
  return (
    <>
      {labels.map((label, i) => (
        <button
          key={i}
          type="button"
          data-shows={ranks?.[i]}
          class={isShown(i) ? "chosen" : undefined}
          aria-pressed={i === chosen}
          onClick={() => choose(i)}
        >
          {label}
        </button>
      ))}
    </>
  );
}
