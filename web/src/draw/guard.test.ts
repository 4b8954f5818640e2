import {createElement, options, type VNode} from "preact";
import {expect, test} from "vitest";
import "./guard";

test("texts and readable attributes are written out", () => {
  const button = createElement("button", {title: "a\u202eb", value: "a\u202eb"});
  expect(button.props).toMatchObject({title: "a\\u202eb", value: "a\u202eb"});
  // As Preact makes a text node.
  const text = {type: null, props: "x\u0000y"};
  options.vnode?.(text as unknown as VNode);
  expect(text.props).toBe("x\\u0000y");
});
