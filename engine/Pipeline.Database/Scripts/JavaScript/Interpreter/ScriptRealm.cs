using System.Reflection;
using Jint;
using Jint.Native;
using Jint.Native.Function;
using Jint.Runtime.Interop;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>Makes a new engine's built-in objects safe for scripts of strangers: some are removed, the functions of the rest are guarded, and all are frozen.</summary>
internal sealed class ScriptRealm
{
    // Removed: what runs without a bound (BigInt, binary buffers, Intl, whose lists of locales may be of any length), what outlives its run (weak references, finalizers, promises), what waits (Atomics), what escapes
    // (ShadowRealm), and what nests without a call that looks at the stack (Proxy, lazy iterators). The engine's own clock and chance are not those of a run.
    private const string Remove = """
        (function () {
          const names = ['Proxy', 'BigInt', 'Promise', 'ShadowRealm', 'WeakRef', 'FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'ArrayBuffer', 'DataView', 'Int8Array', 'Uint8Array',
            'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'Iterator',
            'AsyncDisposableStack', 'DisposableStack', 'Temporal', 'Intl'];
          const lazy = ['map', 'filter', 'take', 'drop', 'flatMap', 'chunks', 'windows'];
          const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
          for (const name of lazy) delete iterator[name];
          delete Array.fromAsync;
          delete Error.captureStackTrace;
          for (const name of ['toTemporalInstant']) delete Date.prototype[name];
          for (const name of names) delete globalThis[name];
          Math.random = () => { throw new Error('Math.random is not there: a script gives the same for the same document'); };
        })();
        """;

    // Functions with a prototype are constructors: called without 'new' by another built-in they get no object of the script's. What makes an array's iterator calls nothing,
    // and the engine's fast paths know it by identity. The iterator of matchAll calls the 'exec' of the script's object.
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

    private static readonly Func<Function, JsValue, JsValue[], JsValue> Call = typeof(Function)
        .GetMethod("Call", BindingFlags.Instance | BindingFlags.NonPublic, [typeof(JsValue), typeof(JsValue[])])!
        .CreateDelegate<Func<Function, JsValue, JsValue[], JsValue>>();

    private readonly Engine _engine;
    private readonly RunLimits _limits;

    private ScriptRealm(Engine engine, RunLimits limits) => (_engine, _limits) = (engine, limits);

    /// <summary>Removes and guards; before the script's own functions are added.</summary>
    public static void Prepare(Engine engine, RunLimits limits)
    {
        var realm = new ScriptRealm(engine, limits);
        engine.Execute(Remove);
        engine.Call(engine.Evaluate(Guard), JsValue.Undefined, [new ClrFunction(engine, "guard", (_, arguments) => realm.Guarded((Function)arguments[0], arguments[1].ToString(), (int)arguments[2].AsNumber()))]);
    }

    /// <summary>Freezes all that a run can reach; after the script's own functions are added.</summary>
    public static void Close(Engine engine) => engine.Execute(Freeze);

    private ClrFunction Guarded(Function function, string name, int length)
    {
        TextRule? rule = TextRules.Find(name);
        RunLimits limits = _limits;
        return new ClrFunction(
            _engine,
            name,
            (self, arguments) =>
            {
                limits.EnterBuiltIn();
                try
                {
                    rule?.Invoke(limits, _engine, self, arguments);
                    JsValue result = Call(function, self, arguments);
                    if (result is JsString text) limits.CheckText(text.Length);
                    return result;
                }
                finally
                {
                    limits.LeaveBuiltIn();
                }
            },
            length);
    }
}
