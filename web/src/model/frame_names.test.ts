import {expect, test} from "vitest";
import {fileOfFrame, shortFrame} from "./frame_names";

test("a frame says its function first, and its file", () => {
  expect(shortFrame("torch/nn/modules/module.py(1501): forward")).toBe("forward (module.py:1501)");
  expect(shortFrame("train.py(3): <module>")).toBe("<module> (train.py:3)");
  expect(shortFrame("nn.Module: Linear_0")).toBe("Linear_0");
  expect(shortFrame("aten::mm")).toBe("aten::mm");
  expect(fileOfFrame("torch/nn/modules/module.py(1501): forward")).toBe("torch/nn/modules/module.py");
  expect(fileOfFrame("aten::mm")).toBe("");
});
