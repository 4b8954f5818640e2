// The data that the program wrote into the page.

export function embedded<Data>(): Data {
  const node = document.getElementById("data");
  if (node === null) throw new Error("the page has no data");
  return JSON.parse(node.textContent ?? "") as Data;
}
