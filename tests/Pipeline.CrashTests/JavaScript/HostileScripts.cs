namespace Pipeline.CrashTests.JavaScript;

/// <summary>Scripts that ended the process, or ran or allocated without a bound, on the engine alone.</summary>
internal static class HostileScripts
{
    /// <summary>Each is the body of a function.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        // Data that is nested deeply, and built-in functions that go down into it.
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; return JSON.stringify(a).length;",
        "let a = {}; for (let i = 0; i < 100000; i++) a = { a }; return JSON.stringify(a).length;",
        "return JSON.parse('['.repeat(100000) + ']'.repeat(100000)).length;",
        "return JSON.parse('{\"a\":'.repeat(100000) + '1' + '}'.repeat(100000), (k, v) => v).length;",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; return a.flat(Infinity).length;",
        "let a = []; a[0] = a; return a.flat(Infinity).length;",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; return '' + a;",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; return a.toLocaleString();",
        "let o = {}; for (let i = 0; i < 100000; i++) o = Object.create(o); for (const k in o) { } return o.x;",
        "return new RegExp('(?:'.repeat(100000) + 'a' + ')*'.repeat(100000)).test('a');",
        "return new RegExp('['.repeat(100000) + 'a' + ']'.repeat(100000), 'v').test('a');",
        "let e = null; for (let i = 0; i < 100000; i++) e = new Error('x', { cause: e }); throw e;",
        // Built-in functions that call each other with no function of the script between them.
        "let e = { toString: Error.prototype.toString }; e.name = e; return '' + e;",
        "let o = { toISOString: Date.prototype.toJSON }; return o.toISOString();",
        "let o = { toString: Object.prototype.toLocaleString }; return '' + o;",
        "let o = { toString: String.prototype.trim }; return '' + o;",
        "let o = { toString: String.prototype[Symbol.iterator] }; return '' + o;",
        "let o = { join: Array.prototype.toString }; return Array.prototype.toString.call(o);",
        "let o = { exec: RegExp.prototype.test }; return o.exec('a');",
        "const r = /a/g; r.lastIndex = r; r.valueOf = RegExp.prototype.exec; return r.exec('a');",
        "const p = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())); let o = { next: p.toArray }; return o.next();",
        "let o = { valueOf: Array.prototype.push }; o.length = o; return o.valueOf();",
        "const a = [Reflect.apply, 0]; a.push(a); return Reflect.apply(...a);",
        "const F = Function.prototype.apply, a = [F]; a.push(a); return F.apply(F, a);",
        "let o = {}; const F = Object.getOwnPropertyDescriptor(RegExp.prototype, 'flags').get; Object.defineProperty(o, 'hasIndices', { get: F }); return F.call(o);",
        "let f = () => []; for (let i = 0; i < 20000; i++) f = Array.from.bind(null, [1], f); return f();",
        "const f = ([a] = f()) => a; return f();",
        "const f = ([a] = f()) => a; try { f(); } catch (e) { 0; } try { f(); } catch (e) { 0; } return f();",
        "const make = () => ([a] = make()()) => a; return make()();",
        "const f = ({ a = f({}) }) => a; return f({});",
        "class A { a = new A(); } return new A();",
        "class A { static a = 1; b = [...new A().b]; } return new A();",
        "let f = Math.abs; for (let i = 0; i < 20000; i++) f = Map.groupBy.bind(Map, [1], f); return f();",
        "let o = {}; for (let i = 0; i < 20000; i++) { const n = {}; Object.defineProperty(n, 'x', { get: Reflect.get.bind(null, o, 'x') }); o = n; } return o.x;",
        "let o = 'x'; for (let i = 0; i < 20000; i++) o = { toString: String.prototype.concat.bind('', o) }; return '' + o;",
        // Functions of the script that call each other through operators.
        "let e = {}; e.toString = () => '' + e; return '' + e;",
        "let e = {}; e[Symbol.toPrimitive] = () => `${e}`; return +e;",
        "let o = {}; Object.defineProperty(o, 'x', { get() { return o.x; } }); return o.x;",
        "let C = function () { }; for (let i = 0; i < 5000; i++) C = class extends C { }; return new C();",
        "let x = {}; x[Symbol.hasInstance] = function (v) { return v instanceof x; }; return 1 instanceof x;",
        "let x = []; x[Symbol.iterator] = function () { return [...x][Symbol.iterator](); }; return [...x];",
        "class A { x = new A(); } return new A();",
        "const y = { valueOf(a = +y) { return 1; } }; return +y;",
        "const y = { valueOf: () => { try { return +y; } catch (z) { return 1 + 1 + 1 + 1 + +y; } } }; return +y;",
        "function f() { try { f(); } catch { f(); } finally { f(); } } f();",
        "let f = 0; function a(n) { try { return [1].map(() => b(n))[0]; } catch (e) { if (!f) { f = 1; for (;;) { } } throw e; } } function b(n) { return [1].map(() => a(n))[0]; } a(1);",
        // One call that takes long or allocates much.
        "let s = 'x'; for (let i = 0; i < 28; i++) s = s + s; return { ...s };",
        "let s = 'x'; for (let i = 0; i < 28; i++) s += s; for (const k in s) { } return 1;",
        "return Object.keys('a'.repeat(67108864)).length;",
        "return encodeURIComponent('\\u00df'.repeat(67108864)).length;",
        "return 'a'.repeat(67108864).replaceAll('a', 'bbbbbbbbbbb').length;",
        "return Array(9999999).fill('abcdefghijkl').join('xxxxxxxxxxxxxxxxxxxxxxxxxxxx').length;",
        "const a = { length: 2 ** 53 - 1 }; return Array.prototype.indexOf.call(a, 1);",
        "return new Intl.PluralRules({ length: 2 ** 40 });",
        "return (1).toLocaleString({ length: 2 ** 40 }) + 'a'.localeCompare('b', { length: 2 ** 40 });",
        "return new Date(0).toLocaleDateString({ length: 2 ** 40 }) + 'a'.toLocaleUpperCase({ length: 2 ** 40 });",
        "return [...{ [Symbol.iterator]() { return { next: Object }; } }];",
        "return /(?:x+x+)+y/u.test('x'.repeat(100000));",
        "return ('a' + '\\u0301\\u0327'.repeat(262144)).normalize('NFC').length;",
    ];

    /// <summary>Texts that must be refused, or run.</summary>
    public static IEnumerable<string> Nested()
    {
        foreach (
            (var open, var close) in ((string, string)[])
                [
                    ("1 + ", ""),
                    ("x + ", ""),
                    ("!", ""),
                    ("x => ", ""),
                    ("x ? 1 : ", ""),
                    ("x = ", ""),
                    ("new ", ""),
                    ("[", "]"),
                    ("`${", "}`"),
                    ("(", ")"),
                    ("a.", ""),
                    ("typeof ", ""),
                ]
        )
        {
            yield return $"let x = 1, a = {{ }}; return {string.Concat(Enumerable.Repeat(open, 20_000))}x{string.Concat(Enumerable.Repeat(close, 20_000))};";
        }

        yield return string.Concat(Enumerable.Repeat("if (1) ", 20_000)) + ";";
        yield return string.Concat(Enumerable.Repeat("if (0) ; else ", 20_000)) + ";";
        yield return "let a = 1; return a" + string.Concat(Enumerable.Repeat("?.a", 20_000)) + ";";
        yield return "let a = () => a; return a" + string.Concat(Enumerable.Repeat("()", 20_000)) + ";";
    }
}
