// A framework's table, and whether this machine computes what all others do.
import { digest, goldenDigest, load, table } from 'posenc';

await load();
const pe = table(100, 512, { preset: 'marian' }); // Float32Array, [100, 512]: 256 sines, 256 cosines
console.log(pe[512], pe[512 + 256]);
console.log((await digest()) === goldenDigest ? 'the same bits as everywhere' : 'other bits than everywhere');
// prints: 0.8414709568023682 0.5403022766113281
// prints: the same bits as everywhere
