// A tree of frames with weights: its order, the boxes of its flame graph, and sums over some of its frames.
//
// frames: {parent (index or null), isRest}, a parent before its children; the first holds all others. `isRest` stands for smaller
// frames and comes last. A weight has total(frame) -> number.

class FrameTree {
  constructor(frames) {
    this.frames = frames;
    this.children = frames.map(() => []);
    this.levels = [];
    frames.forEach(({parent}, i) => {
      if (parent !== null) this.children[parent].push(i);
      this.levels[i] = parent === null ? 0 : this.levels[parent] + 1;
    });
    this.orders = new Map();  // of each weight: frame -> what it calls
  }
  // What a frame calls, the heaviest first, without what has nothing of the weight.
  inside(frame, weight) {
    if (!this.orders.has(weight)) this.orders.set(weight, new Map());
    const known = this.orders.get(weight);
    if (!known.has(frame)) {
      const order = sorted(this.children[frame].filter((child) => weight.total(child) > 0), weight.total, true);
      known.set(frame, [...order.filter((child) => !this.frames[child].isRest), ...order.filter((child) => this.frames[child].isRest)]);
    }
    return known.get(frame);
  }
  // From the outermost one to the frame itself.
  pathTo(frame) {
    const path = [];
    for (let one = frame; one !== null; one = this.frames[one].parent) path.unshift(one);
    return path;
  }
  heaviestInside(frame, weight) {
    let found = frame;
    while (this.inside(found, weight).length > 0) [found] = this.inside(found, weight);
    return found;
  }
  // {frame, x, width, level, isAround}: `zoom` fills the width, and so do the frames around it; what is narrower than `least` is left out.
  boxes(zoom, weight, width, least) {
    const found = this.pathTo(zoom).slice(0, -1).map((frame) => ({frame, x: 0, width, level: this.levels[frame], isAround: true}));
    const scale = width / weight.total(zoom);
    const open = [{frame: zoom, x: 0, width}];
    while (open.length > 0) {
      const box = open.pop();
      found.push({...box, level: this.levels[box.frame], isAround: false});
      let x = box.x;
      for (const child of this.inside(box.frame, weight)) {
        const wide = weight.total(child) * scale;
        if (wide >= least) open.push({frame: child, x, width: wide});
        x += wide;
      }
    }
    return found;
  }
  // How many frames in `top` are wanted, and their weight; what lies in one that is wanted counts once.
  sumOf(top, weight, isWanted) {
    let count = 0;
    let sum = 0;
    const open = [[top, false]];
    while (open.length > 0) {
      const [frame, isCounted] = open.pop();
      const wanted = isWanted(frame);
      if (wanted) ++count;
      if (wanted && !isCounted) sum += weight.total(frame);
      for (const child of this.inside(frame, weight)) open.push([child, isCounted || wanted]);
    }
    return {count, sum};
  }
}
