// What has no plot of its own: percentiles over ranks of the analyses that over_ranks summarises.

function percentileSection(id, title, how, analyses, keyLabel) {
  const source = table("over_ranks");
  const groups = analyses.map(([analysis, heading]) => [heading, source.where("analysis", analysis)]).filter(([, rows]) => rows.length > 0);
  if (groups.length === 0) return null;
  return section(id, title, how, groups.map(([heading, rows]) => [analyses.length > 1 ? el("h3", {}, heading) : null, rangeTable(rows, {keyLabel})]));
}

function percentileSections() {
  const spread = " The small picture is the spread over ranks: line from min to max, box from p25 to p75, tick at the median.";
  return [
    percentileSection("classes", "Kernel classes", `Device time by kind of kernel.${spread}`, [["kernel_classes", ""]], "class"),
    percentileSection("phases", "Phases of a step", `What the host was doing, and the device time of the work that it launched meanwhile.${spread}`, [["phases", ""]], "phase"),
    percentileSection("launches", "Launches, queue and utilisation",
      `How kernels get to the device: short launches and a filled queue keep it busy; a queue near 0 means that the device waits for the host.${spread}`,
      [["launches", "Launch calls"], ["queue_length", "Queue length"], ["utilisation", "Utilisation"], ["stream_gaps", "Gaps on streams"]], ""),
    percentileSection("annotations", "Annotations", `Ranges that the program named itself, on the host and on the device.${spread}`, [["annotations", ""]], "annotation"),
  ];
}
