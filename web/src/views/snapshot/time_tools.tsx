// Zooming and panning of a plot over time: buttons, Ctrl and the wheel, and dragging.

import type {ComponentChildren} from "preact";
import {useEffect} from "preact/hooks";
import type {PlotState} from "../../draw/plot_box";
import type {TimeView} from "../../draw/time_view";
import type {Box} from "./allocation_colours";

interface TimeTools {
  readonly plot: PlotState;
  readonly view: TimeView;
  readonly area: (width: number) => Box;
  readonly changed: () => void;
  readonly children?: ComponentChildren;
}

export function TimeTools({plot, view, area, changed, children}: TimeTools) {
  const update = () => {
    plot.tips.hide();
    changed();
  };
  const zoom = (factor: number, time = (view.begin + view.end) / 2) => {
    view.zoom(factor, time);
    update();
  };
  useEffect(() => {
    const node = plot.ref.current;
    if (node === null) return;
    const timeAt = (event: MouseEvent) => {
      const box = plot.box();
      const {left, right} = area(box.width);
      return view.begin + Math.max(0, Math.min(1, (event.clientX - box.left - left) / (right - left))) * view.span;
    };
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * 0.002), timeAt(event));
    };
    let held: {readonly x: number; readonly begin: number} | null = null;
    const grab = (event: PointerEvent) => {
      if (event.button === 0 && !view.isWhole) held = {x: event.clientX, begin: view.begin};
    };
    const drag = (event: PointerEvent) => {
      if (held === null || event.buttons === 0) {
        held = null;
        return;
      }
      const {left, right} = area(plot.box().width);
      view.moveTo(held.begin - ((event.clientX - held.x) / (right - left)) * view.span);
      update();
    };
    const release = () => {
      held = null;
    };
    node.addEventListener("wheel", turn, {passive: false});
    node.addEventListener("pointerdown", grab);
    addEventListener("pointermove", drag);
    addEventListener("pointerup", release);
    return () => {
      node.removeEventListener("wheel", turn);
      node.removeEventListener("pointerdown", grab);
      removeEventListener("pointermove", drag);
      removeEventListener("pointerup", release);
    };
  }, [view]);
  return (
    <div class="tools">
      <button type="button" aria-label="Zoom in" onClick={() => zoom(2)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => zoom(0.5)}>
        {"\u2212"}
      </button>
      <button
        type="button"
        disabled={view.isWhole}
        onClick={() => {
          view.all();
          update();
        }}
      >
        Whole recording
      </button>
      Ctrl and the wheel zoom, dragging moves
      {children}
    </div>
  );
}
