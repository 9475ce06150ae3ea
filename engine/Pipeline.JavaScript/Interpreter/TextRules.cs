using System.Globalization;
using Jint;
using Jint.Native;
using Jint.Native.Function;
using Jint.Native.Object;
using Jint.Runtime;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>
/// A condition that must hold before a built-in function runs, so that no single call takes long or allocates much.
/// </summary>
internal delegate void TextRule(RunLimits limits, Engine engine, JsValue self, JsValue[] arguments);

/// <summary>
/// The rules by the names of the functions. A rule reads arguments only if that runs no code of the script.
/// </summary>
internal static class TextRules
{
    // At this length, each character of the text becomes a property name.
    private const int MaxProperties = 1 << 16;

    // Composing marks takes time by the square of their number.
    private const int MaxMarks = 1 << 10;
    private const int MaxLocales = 16;
    private const int MaxSeparator = 64;
    private const int MaxLookaround = 1 << 13;

    // Texts and results of this length are far below RunLimits.MaxText, and one call with them takes less than a
    // microsecond.
    private const int ShortText = 256;

    private static readonly HashSet<string> OfShortTexts = new(StringComparer.Ordinal)
    {
        "toUpperCase",
        "toLowerCase",
        "trim",
        "trimStart",
        "trimEnd",
        "charAt",
        "charCodeAt",
        "codePointAt",
        "startsWith",
        "endsWith",
        "substring",
    };

    private static readonly HashSet<string> OfTexts = new(StringComparer.Ordinal)
    {
        "repeat",
        "padStart",
        "padEnd",
        "replace",
        "replaceAll",
        "normalize",
        "localeCompare",
        "toUpperCase",
        "toLowerCase",
        "toLocaleUpperCase",
        "toLocaleLowerCase",
        "split",
        "substring",
        "match",
        "matchAll",
        "trim",
        "toWellFormed",
    };

    private static readonly Dictionary<string, TextRule> Rules = new(StringComparer.Ordinal)
    {
        ["repeat"] = (limits, _, self, a) => limits.CheckText(Product(Length(self), Number(a, 0))),
        ["padStart"] = (limits, _, _, a) => limits.CheckText((long)Math.Min(Number(a, 0), long.MaxValue / 2)),
        ["padEnd"] = (limits, _, _, a) => limits.CheckText((long)Math.Min(Number(a, 0), long.MaxValue / 2)),
        ["concat"] = (limits, _, self, a) => limits.CheckText(Length(self) + a.Sum(Length)),
        ["join"] = Join,
        ["toString"] = (limits, engine, self, _) => Join(limits, engine, self, []),
        ["toLocaleString"] = (limits, engine, self, a) =>
        {
            Locales(a, 0);
            Join(limits, engine, self, []);
        },
        ["toLocaleDateString"] = (_, _, _, a) => Locales(a, 0),
        ["toLocaleTimeString"] = (_, _, _, a) => Locales(a, 0),
        ["replace"] = Replace,
        ["replaceAll"] = Replace,
        ["Symbol(Symbol.replace)"] = (limits, engine, _, a) =>
            ReplaceIn(limits, engine, Text(a, 0), a, isExpression: true),
        ["normalize"] = (_, _, self, _) => Marks(self),
        ["localeCompare"] = (_, _, self, a) =>
        {
            Locales(a, 1);
            Marks(self);
            AsText(a, 0);
            if (a.Length > 0)
                Marks(a[0]);
        },
        [Stringify.Name] = (limits, engine, _, a) => Stringify.Check(limits, engine, a),
        ["raw"] = (limits, _, _, a) => limits.CheckText(a.Skip(1).Sum(Length)),
        ["setPrototypeOf"] = (_, _, _, a) => RunLimits.CheckChain(a.Length > 1 ? a[1] : JsValue.Undefined),
        ["keys"] = Properties,
        ["entries"] = Properties,
        ["values"] = Properties,
        ["assign"] = Properties,
        ["ownKeys"] = Properties,
        ["getOwnPropertyNames"] = Properties,
        ["getOwnPropertyDescriptors"] = Properties,
        ["freeze"] = Properties,
        ["seal"] = Properties,
        ["toUpperCase"] = Measure,
        ["toLowerCase"] = Measure,
        ["toLocaleUpperCase"] = MeasureCase,
        ["toLocaleLowerCase"] = MeasureCase,
        ["split"] = Measure,
        ["substring"] = Measure,
        ["slice"] = Measure,
        ["encodeURIComponent"] = Measure,
        ["encodeURI"] = Measure,
        ["decodeURIComponent"] = Measure,
        ["decodeURI"] = Measure,
        ["escape"] = Measure,
        ["unescape"] = Measure,
        ["match"] = Measure,
        ["matchAll"] = Measure,
        ["indexOf"] = Measure,
        ["lastIndexOf"] = Measure,
        ["includes"] = Measure,
        ["parse"] = Measure,
        ["from"] = Measure,
        ["toWellFormed"] = Measure,
        ["trim"] = Measure,
    };

    /// <summary>The rule for a function.</summary>
    public static TextRule? Find(string name) => Rules.GetValueOrDefault(name);

    /// <summary>Whether calls of a function may be so short that <see cref="RunLimits.EnterShort"/> suffices.</summary>
    public static bool MayBeShort(string name) => OfShortTexts.Contains(name);

    /// <summary>
    /// Whether a call of such a function is short: its text is, and no argument is an object, whose conversion could
    /// run code of the script.
    /// </summary>
    public static bool IsShort(JsValue self, JsValue[] arguments)
    {
        if (self is not JsString { Length: <= ShortText })
            return false;
        foreach (var argument in arguments)
        {
            if (argument is not (JsNumber or JsString { Length: <= ShortText }))
                return false;
        }

        return arguments.Length <= 2;
    }

    /// <summary>
    /// Converts the object that a text method is called on to a text, so that a rule can measure it. Makes room for
    /// arguments that a rule adds.
    /// </summary>
    public static void Prepare(string name, ref JsValue self, ref JsValue[] arguments)
    {
        if (self is ObjectInstance && OfTexts.Contains(name))
            self = JsString.Create(TypeConverter.ToString(self));
        if (name == Stringify.Name && arguments.Length < 2)
            arguments = [arguments.Length > 0 ? arguments[0] : JsValue.Undefined, JsValue.Undefined];
    }

    private static void AsText(JsValue[] arguments, int index)
    {
        if (index < arguments.Length && arguments[index] is ObjectInstance)
            arguments[index] = JsString.Create(TypeConverter.ToString(arguments[index]));
    }

    private static void Measure(RunLimits limits, Engine engine, JsValue self, JsValue[] arguments)
    {
        limits.CheckText(Length(self));
        foreach (var argument in arguments)
            limits.CheckText(Length(argument));
        if (arguments.Length > 0)
            Lookaround(arguments[0], self);
    }

    private static void MeasureCase(RunLimits limits, Engine engine, JsValue self, JsValue[] arguments)
    {
        Locales(arguments, 0);
        Measure(limits, engine, self, arguments);
    }

    /// <summary>A list of locales is read to its end, whatever length an object says that it has.</summary>
    private static void Locales(JsValue[] arguments, int index)
    {
        if (index < arguments.Length && arguments[index] is ObjectInstance and not JsArray { Length: <= MaxLocales })
        {
            throw new ScriptRuntimeException(
                $"locales are a text, or an array of at most {MaxLocales.ToString(CultureInfo.InvariantCulture)} texts"
            );
        }
    }

    private static void Properties(RunLimits limits, Engine engine, JsValue self, JsValue[] arguments)
    {
        foreach (var argument in arguments)
            CheckProperties(argument);
    }

    /// <summary>Refuses a text so long that its characters must not become properties.</summary>
    public static void CheckProperties(JsValue value)
    {
        if (value is JsString { Length: > MaxProperties })
        {
            throw new ScriptRuntimeException(
                $"the characters of a text are listed up to {MaxProperties.ToString(CultureInfo.InvariantCulture)} of them; split it into parts"
            );
        }
    }

    private static void Join(RunLimits limits, Engine engine, JsValue self, JsValue[] arguments)
    {
        AsText(arguments, 0);
        if (self is not JsArray array)
        {
            if (arguments.Length > 0 && Length(arguments[0]) > MaxSeparator)
            {
                throw new ScriptRuntimeException(
                    $"an object that is not an array is joined with at most {MaxSeparator.ToString(CultureInfo.InvariantCulture)} characters; make an array of it first (Array.from)"
                );
            }

            return;
        }

        var length = Product(array.Length, arguments.Length > 0 ? Length(arguments[0]) : 1);
        for (uint i = 0; i < array.Length; i++)
        {
            length += array[i] is JsString text ? text.Length : 1;
            if ((i & 0xFFF) == 0)
                limits.CheckText(length);
        }

        limits.CheckText(length);
    }

    private static void Replace(RunLimits limits, Engine engine, JsValue self, JsValue[] arguments) =>
        ReplaceIn(
            limits,
            engine,
            self is JsString ? self : null,
            arguments,
            isExpression: arguments.Length > 0 && arguments[0] is ObjectInstance
        );

    /// <summary>
    /// Each match may be replaced by a longer text, so above a certain length the parts are joined and counted one at a
    /// time.
    /// </summary>
    private static void ReplaceIn(
        RunLimits limits,
        Engine engine,
        JsValue? text,
        JsValue[] arguments,
        bool isExpression
    )
    {
        if (arguments.Length > 1 && arguments[1] is not Function)
            AsText(arguments, 1);
        if (text is not null && arguments.Length > 0)
            Lookaround(arguments[0], text);
        if (text is null || arguments.Length < 2 || arguments[1] is not JsString replacement)
            return;
        limits.CheckText(Length(text));
        var isPlain = !replacement.ToString().Contains('$', StringComparison.Ordinal);
        if (
            isPlain
                ? Product(Length(text) + 1, replacement.Length) <= limits.MaxText
                : Product(Length(text) + 1, Math.Max(replacement.Length, Length(text))) <= limits.MaxText
        )
        {
            return;
        }

        arguments[1] = new Replacement(limits, replacement.ToString()).ToFunction(engine);
    }

    /// <summary>A group within a lookaround may hold the rest of the text at each place.</summary>
    private static void Lookaround(JsValue pattern, JsValue text)
    {
        if (
            Length(text) > MaxLookaround
            && pattern is JsRegExp { Source: { } source }
            && (source.Contains("(?=", StringComparison.Ordinal) || source.Contains("(?<=", StringComparison.Ordinal))
        )
        {
            throw new ScriptRuntimeException(
                $"an expression with a lookaround supports texts of at most {MaxLookaround.ToString(CultureInfo.InvariantCulture)} characters"
            );
        }
    }

    private static void Marks(JsValue self)
    {
        if (self is not JsString text || text.Length <= MaxMarks)
            return;
        var marks = 0;
        foreach (var c in text.ToString())
        {
            marks =
                c >= 0x300
                && CharUnicodeInfo.GetUnicodeCategory(c)
                    is UnicodeCategory.NonSpacingMark
                        or UnicodeCategory.SpacingCombiningMark
                        or UnicodeCategory.EnclosingMark
                    ? marks + 1
                    : 0;
            if (marks > MaxMarks)
            {
                throw new ScriptRuntimeException(
                    $"a text has more than {MaxMarks.ToString(CultureInfo.InvariantCulture)} combining marks in a row"
                );
            }
        }
    }

    private static JsString? Text(JsValue[] arguments, int index) =>
        index < arguments.Length && arguments[index] is JsString text ? text : null;

    private static long Length(JsValue value) => value is JsString text ? text.Length : 0;

    private static double Number(JsValue[] arguments, int index) =>
        index < arguments.Length && arguments[index].IsNumber() && arguments[index].AsNumber() is > 0 and var number
            ? number
            : 0;

    private static long Product(double a, double b) => (long)Math.Min(a * b, long.MaxValue / 2);
}
