// What the shop has, asked from the API itself, so that the checks fit any shop.

import { hold } from "./seat.mjs";

function swap(word) {
  for (let at = 2; at < word.length - 1; at += 1) {
    if (word[at] !== word[at + 1]) return word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
  }
  return null;
}

export async function learn(base, accessKey, given) {
  const post = async (path, body) => {
    const response = await fetch(new URL(path, base), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ AppKey: accessKey, ...body }),
    });
    hold(response.ok, `${path} answered ${response.status}: ${await response.clone().text()}`);
    return response.json();
  };
  const search = (query, more) => post("/api/search", { Query: query, Page: 1, Size: 24, ...more });
  const first = await search("", { Size: 100 });
  hold(first.Total > 0, "the shop has no products");
  const words = await wordsOf(first.Items, search);
  const wrong = given.misspelt
    ? { misspelt: given.misspelt, corrected: given.corrected }
    : await misspell(first.Items, search);
  const prefix = await prefixOf(words, post);
  return { search, post, words, prefix, ...wrong, all: first.Total, nothing: "qqxzvqqxzv" };
}

/** Words of titles with the most products, so that there is something to page through and to filter. */
async function wordsOf(items, search) {
  const counts = new Map();
  for (const item of items) {
    for (const word of new Set(item.Title.toLowerCase().match(/\b[a-z]{4,12}\b/g))) {
      counts.set(word, (counts.get(word) || 0) + 1);
    }
  }
  const often = [...counts].sort((one, other) => other[1] - one[1]).slice(0, 12);
  const found = [];
  for (const [word] of often) found.push({ word, total: (await search(word)).Total });
  const useful = found.filter((one) => one.total > 1).sort((one, other) => other.total - one.total);
  hold(useful.length > 0, "no word of a title finds two products");
  return useful.map((one) => one.word);
}

/** Three letters with completions of the most kinds. */
async function prefixOf(words, post) {
  let best = { kinds: -1 };
  for (const word of words) {
    const answer = await post("/api/autocomplete", { Query: word.slice(0, 3), Size: 4 });
    const kinds = ["Queries", "Categories", "Brands", "Products"].filter(
      (kind) => answer[kind]?.length,
    ).length;
    if (kinds > best.kinds) best = { kinds, prefix: word.slice(0, 3) };
  }
  return best.prefix;
}

async function misspell(items, search) {
  const words = [
    ...new Set(items.flatMap((item) => item.Title.toLowerCase().match(/\b[a-z]{6,12}\b/g) || [])),
  ];
  for (const word of words.slice(0, 40)) {
    const misspelt = swap(word);
    const said = misspelt && (await search(misspelt)).Query;
    if (said?.Corrected?.length) return { misspelt, corrected: said.Searched };
  }
  throw new Error("no title word with two letters swapped is corrected");
}
