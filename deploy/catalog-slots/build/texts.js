// Writes src/messages.json: the messages `slot-*` of texts/messages, by language. With --check it only compares, and exits with 1 if
// they differ.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

const MESSAGES = new URL('../../../texts/messages/', import.meta.url);
const FILE = new URL('../src/messages.json', import.meta.url);

/** The messages of a file. Only texts of one line, whose braces hold names, are understood. */
function read(name) {
  const messages = {};
  for (const line of readFileSync(new URL(name, MESSAGES), 'utf8').split('\n')) {
    const [, key, text] = /^slot-([a-z-]+) = (.+)$/.exec(line) ?? [];
    if (line.startsWith('slot-') && !(text && /^([^{}]|\{ \$[a-z]+ \})+$/.test(text))) {
      throw new Error(`${name}: a message of the slots must be one line of text and names: ${line}`);
    }
    if (key) { messages[key] = text; }
  }
  return messages;
}

const files = readdirSync(MESSAGES).filter((name) => name.endsWith('.ftl')).sort();
const languages = Object.fromEntries(files.map((name) => [name.slice(0, -4).toLowerCase(), read(name)]));
const written = `${JSON.stringify(languages, null, 2)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(FILE, written);
} else if (readFileSync(FILE, 'utf8') !== written) {
  console.error('catalog-slots: src/messages.json is not what texts/messages has: npm --prefix deploy/catalog-slots run texts');
  process.exit(1);
}
