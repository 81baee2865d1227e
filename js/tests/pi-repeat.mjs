// The whole missions of pi.test.mjs, again and again: `node js/tests/pi-repeat.mjs 10 [rpc,terminal,killed]`.
// Prints one line for each, and the figures. Ends with 1 if one of them was not as it should be.
import { endAll, removeAll } from './pi/kit.mjs';
import { byRpc, byTerminal, killed } from './pi/whole.mjs';

const WAYS = { rpc: byRpc, terminal: byTerminal, killed };
const times = Number(process.argv[2] ?? 10);
const ways = (process.argv[3] ?? Object.keys(WAYS).join(',')).split(',');
if (!Number.isInteger(times) || times < 1 || ways.some((way) => !WAYS[way])) {
  console.error(`node js/tests/pi-repeat.mjs TIMES [${Object.keys(WAYS).join(',')}]`);
  process.exit(2);
}

const sums = Object.fromEntries(ways.map((way) => [way, { passed: 0, seconds: [], products: new Set() }]));
for (let time = 1; time <= times; time += 1) {
  for (const way of ways) {
    const began = Date.now();
    let said;
    try {
      const { end } = await WAYS[way]();
      sums[way].passed += 1;
      sums[way].products.add(end.product);
      said = `done, ${end.lost} lost runs`;
    } catch (error) {
      said = `FAILED: ${error.message}`;
    }
    const seconds = (Date.now() - began) / 1000;
    sums[way].seconds.push(seconds);
    console.log(`${time} ${way}: ${said}, ${seconds.toFixed(1)} s`);
  }
}
endAll();
removeAll();
for (const [way, { passed, seconds, products }] of Object.entries(sums)) {
  const sorted = [...seconds].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  console.log(`${way}: ${passed} of ${times}, ${products.size} final product, ${at(0)} to ${at(1)} s, median ${at(0.5)} s`);
}
// By RPC the project tells nothing of how it is verified, so it has a file less than the other two, which end the same.
const alike = new Set(ways.filter((way) => way !== 'rpc').flatMap((way) => [...sums[way].products]));
const whole = ({ passed, products }) => passed === times && products.size === 1;
process.exit(alike.size <= 1 && Object.values(sums).every(whole) ? 0 : 1);
