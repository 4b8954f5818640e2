// What the program wrote into a page of one file, and the page with other data in it.
const zlib = require("node:zlib");

function parts(text) {
  return /^(.*<script type="application\/)(json|gzip)(" id="data">)(.*?)(<\/script>.*)$/s.exec(text).slice(1);
}

function dataOf(text) {
  const [, form, , data] = parts(text);
  return JSON.parse(form === "gzip" ? zlib.gunzipSync(Buffer.from(data, "base64")).toString() : data);
}

function withData(text, data) {
  const [before, , middle, , after] = parts(text);
  return `${before}json${middle}${JSON.stringify(data).replace(/</g, "\\u003c")}${after}`;
}

module.exports = {dataOf, withData};
