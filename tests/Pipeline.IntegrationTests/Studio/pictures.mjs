// Makes small pictures: a PNG of true colors becomes one of at most 256 colors.
import { deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const crcs = Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? 0xEDB88320 ^ (n >>> 1) : n >>> 1; return n >>> 0; });
const crcOf = bytes => { let c = 0xFFFFFFFF; for (const b of bytes) c = crcs[(c ^ b) & 255] ^ (c >>> 8); return (c ^ 0xFFFFFFFF) >>> 0; };

function chunk(type, data) {
    const whole = Buffer.alloc(12 + data.length);
    whole.writeUInt32BE(data.length, 0);
    whole.write(type, 4, 'latin1');
    data.copy(whole, 8);
    whole.writeUInt32BE(crcOf(whole.subarray(4, 8 + data.length)), 8 + data.length);
    return whole;
}

/** The pixels of a PNG with 8 bits a channel, three bytes each. */
function decode(png) {
    const parts = [];
    let width, height, channels;
    for (let at = 8; at < png.length;) {
        const length = png.readUInt32BE(at), type = png.toString('latin1', at + 4, at + 8), data = png.subarray(at + 8, at + 8 + length);
        if (type === 'IHDR') [width, height, channels] = [data.readUInt32BE(0), data.readUInt32BE(4), { 2: 3, 6: 4 }[data[9]]];
        if (type === 'IDAT') parts.push(data);
        at += 12 + length;
    }
    const raw = inflateSync(Buffer.concat(parts)), stride = width * channels, rows = Buffer.alloc(stride * height);
    for (let y = 0; y < height; y++) {
        const filter = raw[y * (stride + 1)];
        for (let x = 0; x < stride; x++) {
            const left = x >= channels ? rows[y * stride + x - channels] : 0, up = y > 0 ? rows[(y - 1) * stride + x] : 0, corner = x >= channels && y > 0 ? rows[(y - 1) * stride + x - channels] : 0;
            const p = left + up - corner, [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
            const guess = [0, left, up, (left + up) >> 1, a <= b && a <= c ? left : b <= c ? up : corner][filter];
            rows[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess;
        }
    }
    return { width, height, channels, rows };
}

/** The same picture with at most 256 colors: the most frequent ones, and for the others the nearest of these. */
export function shrink(png) {
    const { width, height, channels, rows } = decode(png);
    // Colors that hardly differ, as the shades of letters, count as one: their mean.
    const sums = new Map();
    const colorAt = i => (rows[i] & 0xF8) << 16 | (rows[i + 1] & 0xF8) << 8 | rows[i + 2] & 0xF8;
    for (let i = 0; i < rows.length; i += channels) {
        const color = colorAt(i);
        let sum = sums.get(color);
        if (!sum) sums.set(color, sum = [0, 0, 0, 0]);
        sum[0]++;
        for (let c = 0; c < 3; c++) sum[c + 1] += rows[i + c];
    }
    const counts = new Map([...sums].map(([color, sum]) => [color, sum[0]]));
    const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([color]) => color);
    const numbers = new Map(palette.map((color, i) => [color, i]));
    const distance = (a, b) => ((a >> 16) - (b >> 16)) ** 2 + ((a >> 8 & 255) - (b >> 8 & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;
    for (const color of counts.keys()) if (!numbers.has(color)) numbers.set(color, palette.reduce((best, p, i) => distance(p, color) < distance(palette[best], color) ? i : best, 0));
    const indexed = Buffer.alloc((width + 1) * height);
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) indexed[y * (width + 1) + 1 + x] = numbers.get(colorAt((y * width + x) * channels));
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, 3, 0, 0, 0], 8);
    const mean = color => sums.get(color).slice(1).map(sum => Math.round(sum / sums.get(color)[0]));
    return Buffer.concat([signature, chunk('IHDR', head), chunk('PLTE', Buffer.from(palette.flatMap(mean))), chunk('IDAT', deflateSync(indexed, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
