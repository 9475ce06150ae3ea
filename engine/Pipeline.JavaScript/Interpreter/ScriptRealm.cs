using Jint;
using Jint.Native;
using Jint.Native.Function;
using Jint.Runtime.Interop;

namespace Pipeline.JavaScript;

/// <summary>
/// Makes a new engine's built-in objects safe for untrusted scripts. Some are removed; the functions of the rest are
/// guarded, and all are frozen.
/// </summary>
internal static class ScriptRealm
{
    // Removed are objects
    // - that run without a bound: BigInt, binary buffers, and Intl, whose lists of locales may have any length;
    // - that outlive a run (weak references, finalizers, promises), wait (Atomics) or escape (ShadowRealm);
    // - that nest or chain without a call that checks the stack: Proxy, lazy iterators, __proto__;
    // - that read an iterator of the script to its end without a check: methods of iterators and of two sets,
    // sumPrecise, AggregateError. A run does not use the engine's clock and random numbers.
    private const string Remove = """
        (function () {
          const names = ['Proxy', 'BigInt', 'Promise', 'ShadowRealm', 'WeakRef', 'FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'ArrayBuffer', 'DataView', 'Int8Array', 'Uint8Array',
            'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'Iterator',
            'AsyncDisposableStack', 'DisposableStack', 'Temporal', 'Intl', 'AggregateError'];
          const kept = [Symbol.iterator, Symbol.toStringTag, 'constructor'];
          const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
          for (const name of Reflect.ownKeys(iterator)) if (!kept.includes(name)) delete iterator[name];
          delete Math.sumPrecise;
          delete Array.fromAsync;
          delete Error.captureStackTrace;
          delete Object.prototype.__proto__;
          for (const name of ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']) delete Set.prototype[name];
          for (const name of ['toTemporalInstant']) delete Date.prototype[name];
          for (const name of names) delete globalThis[name];
          Math.random = () => { throw new Error('Math.random is not there: a script gives the same for the same document'); };
        })();
        """;

    // Functions with a prototype are constructors: called without 'new' by another built-in they get no object of the
    // script's. What makes an array's iterator calls nothing, and the engine's fast paths know it by identity. The
    // iterator of matchAll calls the 'exec' of the script's object.
    private const string Guard = """
        (function (guard) {
          const kept = Array.prototype.values;
          const guarded = new Map(), seen = new Set();
          function visit(o) {
            if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o)) return;
            seen.add(o);
            for (const key of Reflect.ownKeys(o)) {
              const d = Reflect.getOwnPropertyDescriptor(o, key);
              if (typeof d.value === 'function' && d.configurable && !Object.hasOwn(d.value, 'prototype') && d.value !== kept && key !== 'constructor' && o !== Math) {
                if (!guarded.has(d.value)) { const g = guard(d.value, typeof key === 'symbol' ? key.toString() : key, d.value.length); guarded.set(d.value, g); seen.add(g); }
                d.value = guarded.get(d.value);
                Reflect.defineProperty(o, key, d);
              } else visit(d.value);
              visit(d.get); visit(d.set);
            }
            visit(Reflect.getPrototypeOf(o));
          }
          const matches = Object.getPrototypeOf('a'.matchAll(/a/g));
          visit(globalThis); visit(matches);
        })
        """;

    // Besides what the global object leads to, there are prototypes that only a value shows.
    private const string Freeze = """
        (function () {
          const seen = new Set();
          function freeze(o) {
            if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o)) return;
            seen.add(o);
            for (const key of Reflect.ownKeys(o)) {
              const d = Reflect.getOwnPropertyDescriptor(o, key);
              if (d === undefined) continue;
              freeze(d.value); freeze(d.get); freeze(d.set);
            }
            freeze(Reflect.getPrototypeOf(o));
            Object.freeze(o);
          }
          const shown = [globalThis, [][Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), ''[Symbol.iterator](), 'a'.matchAll(/a/g), function* () {}, (function* () {})(),
            async function () {}, async function* () {}, (async function* () {})(), (function () { return arguments; })(), (async function () {})()];
          for (const o of shown) freeze(Reflect.getPrototypeOf(o));
          freeze(globalThis);
        })();
        """;

    /// <summary>Removes and guards; before the script's own functions are added.</summary>
    public static void Prepare(Engine engine, RunLimits limits)
    {
        engine.Execute(Remove);
        engine.Call(
            engine.Evaluate(Guard),
            JsValue.Undefined,
            [
                new ClrFunction(
                    engine,
                    "guard",
                    (_, arguments) =>
                        new GuardedFunction(
                            engine,
                            limits,
                            (Function)arguments[0],
                            arguments[1].ToString(),
                            (int)arguments[2].AsNumber()
                        )
                ),
            ]
        );
    }

    /// <summary>Freezes all that a run can reach; after the script's own functions are added.</summary>
    public static void Close(Engine engine) => engine.Execute(Freeze);
}
