// Plots on a canvas as wide as its place, sharp on any screen.

import {useLayoutEffect, useRef} from "preact/hooks";
import type {RefObject} from "preact";
import {PlotBox, type PlotState, type Reading} from "./plot_box";

// In CSS pixels; whenever the plot is drawn again.
type Paint = (context: CanvasRenderingContext2D, width: number) => void;

export function useCanvas({width, theme}: PlotState, height: number, paint: Paint): RefObject<HTMLCanvasElement> {
  const ref = useRef<HTMLCanvasElement>(null);
  void theme.now.value; // whose colours are painted
  useLayoutEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext("2d") ?? null;
    if (canvas === null || context === null || width === 0) return;
    const scale = Math.min(devicePixelRatio || 1, 2);
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = `${height}px`;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    paint(context, width);
  });
  return ref;
}

interface CanvasPlot {
  readonly plot: PlotState;
  readonly name: string;
  readonly kind?: string;
  readonly data?: Readonly<Record<`data-${string}`, string | number>>;
  readonly height: number;
  readonly paint: Paint;
  readonly reading: Reading;
}

export function CanvasPlot({plot, name, kind = "", data, height, paint, reading}: CanvasPlot) {
  const ref = useCanvas(plot, height, paint);
  return (
    <PlotBox plot={plot} name={name} kind={`canvas${kind}`} data={data ?? {}} reading={reading}>
      <canvas aria-hidden="true" ref={ref} />
    </PlotBox>
  );
}
