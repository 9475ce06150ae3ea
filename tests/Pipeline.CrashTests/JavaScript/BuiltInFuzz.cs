using System.Globalization;

namespace Pipeline.CrashTests.JavaScript;

/// <summary>
/// Programs that take all built-in functions and call, nest, bind and plant them at random. The random numbers are the
/// program's own, from a seed.
/// </summary>
internal static class BuiltInFuzz
{
    private const string Body = """
        let seed = SEED % 2147483647;
        const random = n => { seed = (seed * 48271) % 2147483647; return seed % n; };
        const pick = list => list[random(list.length)];
        const functions = [], constructors = [], prototypes = [], seen = new Set();
        (function walk(o, depth) {
          if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o) || depth > 6) return;
          seen.add(o);
          if (typeof o === 'function') (Object.hasOwn(o, 'prototype') ? constructors : functions).push(o); else prototypes.push(o);
          for (const key of Reflect.ownKeys(o)) { const d = Reflect.getOwnPropertyDescriptor(o, key); walk(d.value, depth + 1); walk(d.get, depth + 1); }
          walk(Reflect.getPrototypeOf(o), depth + 1);
        })(globalThis, 0);
        for (const o of [[].values(), new Map().keys(), new Set().keys(), ''[Symbol.iterator](), 'a'.matchAll(/a/g)]) {
          let p = Object.getPrototypeOf(o);
          while (p && !seen.has(p)) { seen.add(p); for (const k of Reflect.ownKeys(p)) if (typeof p[k] === 'function') functions.push(p[k]); p = Object.getPrototypeOf(p); }
        }
        const names = ['toString', 'valueOf', 'toJSON', 'join', 'exec', 'next', 'return', 'length', 'lastIndex', 'constructor', 'then', 'name', 'message', 'flags', 'source', 'index', 'groups', 'size', 'has', 'keys',
          'raw', 'toISOString', 'done', 'value', '0', '1', Symbol.iterator, Symbol.toPrimitive, Symbol.hasInstance, Symbol.species, Symbol.isConcatSpreadable, Symbol.match, Symbol.replace, Symbol.split, Symbol.toStringTag];
        const cyclic = []; cyclic[0] = cyclic;
        const pool = [0, -1, 1, 1e9, 2 ** 31, 2 ** 53, NaN, Infinity, '', 'ab', 'a'.repeat(5000), '\u0301'.repeat(500), '$1$`$&', null, undefined, true, [], [1, 2, 3], {}, { length: 2 ** 40 }, { length: 3, 0: 'a' },
          cyclic, /a*/g, /(a|b)*?c/u, /(?<x>a+)+$/v, new Map([[1, 2]]), new Set([1, 2]), new Date(0), new Error('x'), x => x, (a, b) => b - a, Symbol.iterator, Array(50000).fill('abc'), { next: () => ({ done: false, value: 1 }) }];
        const nest = x => {
          const times = pick([10, 1000, 20000]), f = pick(functions), kind = random(9), name = pick(names);
          for (let i = 0; i < times; i++) {
            if (kind === 0) x = [x]; else if (kind === 1) x = { a: x }; else if (kind === 2) x = { [name]: f, 0: x, length: 1 }; else if (kind === 3) x = Object.create(x);
            else if (kind === 4) x = f.bind(x, x); else if (kind === 5) x = f.bind(null, [1], x); else if (kind === 6) { const n = {}; Object.defineProperty(n, name, { get: f.bind(x, x, name) }); x = n; }
            else if (kind === 7) x = { toString: f, [name]: x }; else { const y = x; x = () => f.call(y, y, y); }
          }
          return x;
        };
        for (let i = 0; i < 200; i++) {
          try {
            const kind = random(12);
            if (kind < 5) pool.push(Reflect.apply(pick(functions), pick(pool), [pick(pool), pick(pool), pick(pool)]));
            else if (kind === 5) { const o = { [pick(names)]: pick(functions) }; o[pick(names)] = random(2) ? o : pick(pool); o[pick(names)] = pick(functions); pool.push(o, '' + o, +o); }
            else if (kind === 6) pool.push(Reflect.construct(pick(constructors), [pick(pool), pick(pool)]));
            else if (kind === 7) pool.push(pick(functions).bind(pick(pool), pick(pool)));
            else if (kind === 8) pool.push(nest(pick(pool)));
            else if (kind === 9) pool.push(`${pick(pool)}${pick(pool)}`, pick(pool) + pick(pool), pick(pool) < pick(pool));
            else if (kind === 10) { const o = pick(pool); o[pick(names)] = random(2) ? pick(pool) : pick(functions); }
            else { const o = pick(pool); pool.push([...o], { ...o }, o instanceof pick(pool), pick(names) in o); for (const k of o) if (random(3) === 0) break; }
          } catch (e) { if (random(4) === 0) pool.push(e); }
          if (pool.length > 80) pool.splice(random(60), 20);
        }
        return pick(pool);
        """;

    /// <summary>The program of a seed.</summary>
    public static string Program(int seed) =>
        Body.Replace("SEED", (seed + 1).ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal);
}
