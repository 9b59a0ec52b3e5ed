// Writes a screenshot as a PNG of at most 256 colours: a fraction of its bytes, and no difference that is seen.

import { crc32, deflateSync } from "node:zlib";

const COLOURS = 256;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
// Of the header: eight bits a pixel, colours from a palette.
const DEPTH = 8;
const INDEXED = 3;

/** Pixels of a PNG as 0xRRGGBB, decoded by Chromium. */
async function decode(page, png) {
  const blank = await page.context().newPage();
  const { width, height, text } = await blank.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(0, 0, image.width, image.height);
    const parts = [];
    for (let at = 0; at < data.length; at += 32768) parts.push(String.fromCharCode(...data.subarray(at, at + 32768)));
    return { width: image.width, height: image.height, text: btoa(parts.join("")) };
  }, png.toString("base64"));
  await blank.close();
  const bytes = Buffer.from(text, "base64");
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = bytes.readUInt32BE(4 * at) >>> 8;
  return { width, height, pixels };
}

function channels(colour) {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

function range(box, channel) {
  const values = box.map(([colour]) => channels(colour)[channel]);
  return Math.max(...values) - Math.min(...values);
}

/** The box's widest channel, and how much a cut there would better the picture. */
function worth(box) {
  const ranges = [0, 1, 2].map((channel) => range(box, channel));
  const widest = Math.max(...ranges);
  const weight = box.reduce((sum, [, count]) => sum + Math.sqrt(count), 0);
  return { channel: ranges.indexOf(widest), gain: widest * weight };
}

/** Palette by median cut: the index of each colour, and the colours. */
function palette(counts) {
  const open = (box) => ({ box, ...worth(box) });
  const boxes = [open([...counts])];
  while (boxes.length < COLOURS) {
    const next = boxes.reduce((best, one) => (one.gain > best.gain ? one : best));
    if (next.gain === 0) break;
    const sorted = next.box.sort(([one], [other]) => channels(one)[next.channel] - channels(other)[next.channel]);
    const middle = (channels(sorted[0][0])[next.channel] + channels(sorted.at(-1)[0])[next.channel]) / 2;
    const cut = sorted.findIndex(([colour]) => channels(colour)[next.channel] > middle);
    boxes.splice(boxes.indexOf(next), 1, open(sorted.slice(0, cut)), open(sorted.slice(cut)));
  }
  const indices = new Map();
  const colours = boxes.map(({ box }, index) => {
    for (const [colour] of box) indices.set(colour, index);
    // The most frequent one: flat areas keep their colour.
    return box.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
  });
  return { indices, colours };
}

function chunk(name, content) {
  const named = Buffer.concat([Buffer.from(name), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** The same picture in at most 256 colours. */
export async function reduced(page, png) {
  const { width, height, pixels } = await decode(page, png);
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const { indices, colours } = palette(counts);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([DEPTH, INDEXED], 8);
  // Each line begins with its filter: none.
  const lines = Buffer.alloc((width + 1) * height);
  pixels.forEach((colour, at) => {
    lines[at + Math.floor(at / width) + 1] = indices.get(colour);
  });
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(colours.flatMap(channels))),
    chunk("IDAT", deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
