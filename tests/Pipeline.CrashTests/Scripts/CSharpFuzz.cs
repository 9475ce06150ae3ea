using System.Globalization;
using System.Reflection;
using System.Text;

namespace Pipeline.CrashTests.Scripts;

/// <summary>
/// Writes C# scripts at random: calls of every public member of the usual types with arguments of fitting types, in
/// loops, lambdas, functions and chains. The types are .NET's, not those of the list: what the list refuses is written,
/// too.
/// </summary>
internal sealed class CSharpFuzz(int seed)
{
    private const int Slots = 3;

    private static readonly Dictionary<Type, string> Names = new()
    {
        [typeof(int)] = "int",
        [typeof(long)] = "long",
        [typeof(double)] = "double",
        [typeof(decimal)] = "decimal",
        [typeof(bool)] = "bool",
        [typeof(char)] = "char",
        [typeof(string)] = "string",
        [typeof(object)] = "object",
        [typeof(DateTime)] = "DateTime",
        [typeof(TimeSpan)] = "TimeSpan",
        [typeof(Guid)] = "Guid",
        [typeof(StringBuilder)] = "StringBuilder",
        [typeof(List<int>)] = "List<int>",
        [typeof(List<string>)] = "List<string>",
        [typeof(Dictionary<string, int>)] = "Dictionary<string, int>",
        [typeof(HashSet<string>)] = "HashSet<string>",
        [typeof(IEnumerable<int>)] = "IEnumerable<int>",
        [typeof(IEnumerable<string>)] = "IEnumerable<string>",
        [typeof(int[])] = "int[]",
        [typeof(string[])] = "string[]",
        [typeof(char[])] = "char[]",
        [typeof(Func<int, int>)] = "Func<int, int>",
        [typeof(Func<int, bool>)] = "Func<int, bool>",
        [typeof(Func<int, string>)] = "Func<int, string>",
        [typeof(Func<string, int>)] = "Func<string, int>",
        [typeof(Func<int, int, int>)] = "Func<int, int, int>",
        [typeof(Func<int, IEnumerable<int>>)] = "Func<int, IEnumerable<int>>",
        [typeof(Tuple<object, object>)] = "Tuple<object, object>",
        [typeof(LinkedList<int>)] = "LinkedList<int>",
        [typeof(SortedSet<int>)] = "SortedSet<int>",
        [typeof(Stack<object>)] = "Stack<object>",
        [typeof(System.Collections.Immutable.ImmutableList<int>)] = "System.Collections.Immutable.ImmutableList<int>",
        [typeof(System.Text.RegularExpressions.Match)] = "Match",
        [typeof(Uri)] = "Uri",
    };

    private static readonly Type[] Types = [.. Names.Keys];
    private static readonly ILookup<Type, MethodBase> Producers = Find();

    private static readonly Dictionary<Type, string[]> Literals = new()
    {
        [typeof(int)] = ["0", "1", "-1", "7", "200000", "int.MaxValue", "int.MinValue", "1 << 28", "1000000000"],
        [typeof(long)] = ["0L", "long.MaxValue", "400000000L"],
        [typeof(double)] = ["0.0", "1.5", "1e308", "double.NaN"],
        [typeof(decimal)] = ["0m", "1.25m", "decimal.MaxValue"],
        [typeof(bool)] = ["true", "false"],
        [typeof(char)] = ["'a'", "'\\u0301'", "'{'"],
        [typeof(string)] =
        [
            "\"\"",
            "\"a\"",
            "id",
            "\"{0,2000000000}\"",
            "\"D999999999\"",
            "\"(a+)+$\"",
            "\"{0}{0}{0}\"",
            "\"((a{1000}){1000}){1000}\"",
            "new string('a', 100000)",
        ],
        [typeof(object)] = ["1", "\"a\"", "null", "doc", "doc.Lines"],
        [typeof(int[])] = ["new int[N]", "new[] { 1, 2, 3 }"],
        [typeof(IEnumerable<int>)] = ["Enumerable.Range(0, N)", "Enumerable.Repeat(N, N)"],
        [typeof(Func<int, int>)] = ["n => n + 1", "n => F(n)"],
        [typeof(Func<int, bool>)] = ["n => n % 2 == 0", "n => true"],
        [typeof(Func<int, string>)] = ["n => n.ToString()"],
        [typeof(Func<string, int>)] = ["s => s.Length"],
        [typeof(Func<int, int, int>)] = ["(a, b) => a - b"],
        [typeof(Func<int, IEnumerable<int>>)] = ["n => Enumerable.Range(0, n)"],
        [typeof(StringBuilder)] = ["new StringBuilder(N)", "new StringBuilder(S)"],
        [typeof(DateTime)] = ["DateTime.MaxValue", "new DateTime(2020, 1, 1)"],
        [typeof(Tuple<object, object>)] = ["Tuple.Create((object)O, (object)O)"],
    };

    // What nests, doubles or recurses: written around the variables.
    private static readonly string[] Shapes =
    [
        "for (var i = 0; i < 300000; i++) IEnumerable_int0 = IEnumerable_int0.CHAIN;",
        "for (var i = 0; i < 100000; i++) object0 = NEST;",
        "string0 += string1;",
        "string0 = string0 + string0 + string1;",
        "string1 = $\"{string0,W}{int0:D99999}{string0}\";",
        "object0 = new { A = object1, B = object0 };",
        "object0 = (object0, object1);",
        "object0 = new R(object0, object1);",
        "int0 = object0 == null ? 0 : object0.GetHashCode();",
        "bool0 = Equals(object0, object1);",
        "string0 = \"\" + object0;",
        "send(\"t\", object0);",
        "send(\"t\", new { object0, string0, IEnumerable_int0 });",
        "Func_int_int0 = n => Func_int_int1(n) + 1; Func_int_int1 = Func_int_int0;",
        "int0 = F(int1);",
        "int0 = Func_int_int0(int0);",
        "int__0 = [..int__0, ..int__1, ..int__0];",
        "foreach (var x in IEnumerable_int0) int0 += x;",
        "var vN = (object0, object0); object1 = vN;",
        "for (var i = 0; i < 40; i++) List_int0.AddRange(List_int0);",
        "for (var i = 0; i < 40; i++) StringBuilder0.Append(StringBuilder0);",
        "switch (int0) { case 1: goto case 2; case 2: goto case 1; default: break; }",
        "Func_int_int0 += Func_int_int0;",
        "while (bool0) { }",
        "do { int0++; } while (true);",
        "object0 = new C();",
        "object0 = new Q(1) + new Q(2);",
        "string0 = Regex.Replace(string0, string1, string0);",
        "try { int0 = F(0); } catch { int0 = F(1); }",
        "IEnumerable_int0 = from a in IEnumerable_int0 from b in IEnumerable_int0 select a + b;",
        "string0 = doc.Name.PadLeft(int0).ToString();",
        "object0 = doc.Lines.Select(l => l.Price).ToList();",
        "string0 = string.Join(string0, IEnumerable_string0);",
    ];

    private static readonly string[] Chains =
    [
        "Concat(IEnumerable_int1)",
        "Append(1)",
        "Skip(0)",
        "Select(n => n)",
        "Where(n => true)",
        "Reverse()",
        "OrderBy(n => n)",
        "Distinct()",
        "Concat(IEnumerable_int0)",
        "DefaultIfEmpty()",
        "Union(IEnumerable_int0)",
        "Zip(IEnumerable_int0, (a, b) => a)",
    ];
    private static readonly string[] Nests =
    [
        "(object0, 1)",
        "new { object0 }",
        "new R(object0, null)",
        "Tuple.Create(object0)",
        "new object[] { object0 }",
        "new List<object> { object0 }",
        "new KeyValuePair<object, object>(object0, 1)",
        "new S { X = new R(object0, 1) }",
    ];

    private readonly Random _random = new(seed);

    /// <summary>Members next to the script's statements.</summary>
    public const string Helper =
        "public static int F(int n) => n == int.MinValue ? 0 : F(n + 1); public record R(object A, object B); public struct S { public R X; } public class C { C other = new C(); } "
        + "public sealed class Q { public Q(int n) { } public static Q operator +(Q a, Q b) => b + a; }";

    /// <summary>The script's lines: declarations first, then statements; each may be left out.</summary>
    public IReadOnlyList<string> Lines()
    {
        var lines = new List<string>();
        foreach (var type in Types)
        {
            for (var i = 0; i < Slots; i++)
                lines.Add($"{Names[type]} {Variable(type, i)} = {(type.IsValueType ? "default" : Start(type))};");
        }

        var count = 10 + _random.Next(40);
        for (var i = 0; i < count; i++)
        {
            if (_random.Next(3) == 0)
            {
                lines.Add(Shape(i));
                continue;
            }

            var type = Pick(Types);
            var statement = $"{Variable(type)} = {Expression(type, 3)};";
            lines.Add(
                _random.Next(4) == 0 ? $"try {{ {statement} }} catch (Exception e) {{ string0 = e.Message; }}"
                : _random.Next(4) == 0 ? $"for (var i = 0; i < {Pick(["3", "1000", "1000000"])}; i++) {{ {statement} }}"
                : statement
            );
        }

        return lines;
    }

    private string Shape(int number) =>
        Pick(Shapes)
            .Replace("CHAIN", Pick(Chains), StringComparison.Ordinal)
            .Replace("NEST", Pick(Nests), StringComparison.Ordinal)
            .Replace("vN", "v" + number.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
            .Replace(",W", "," + Pick(["5", "100000", "2000000000"]), StringComparison.Ordinal);

    private string Expression(Type type, int depth)
    {
        if (depth == 0 || _random.Next(4) == 0)
        {
            return _random.Next(2) == 0 || !Literals.TryGetValue(type, out var literals)
                ? Variable(type)
                : "(" + Fill(Pick(literals)) + ")";
        }

        MethodBase[] producers = [.. Producers[type]];
        if (producers.Length == 0)
            return Variable(type);
        var method = Pick(producers);
        var extends = method.IsDefined(typeof(System.Runtime.CompilerServices.ExtensionAttribute), false);
        var arguments = method.GetParameters().Select(p => Expression(p.ParameterType, depth - 1)).ToList();
        if (method is ConstructorInfo)
            return $"new {Names[type]}({string.Join(", ", arguments)})";
        var target =
            extends ? arguments[0]
            : method.IsStatic ? Names.GetValueOrDefault(method.DeclaringType!, method.DeclaringType!.FullName!)
            : Expression(method.DeclaringType!, depth - 1);
        if (extends)
            arguments.RemoveAt(0);
        if (method.IsSpecialName && method.Name.StartsWith("get_", StringComparison.Ordinal))
            return arguments.Count == 0 ? $"{target}.{method.Name[4..]}" : $"{target}[{string.Join(", ", arguments)}]";
        return method.IsSpecialName ? Variable(type) : $"{target}.{method.Name}({string.Join(", ", arguments)})";
    }

    private string Fill(string literal) =>
        literal
            .Replace("N", Pick(["3", "int0", "int1", "1 << 27"]), StringComparison.Ordinal)
            .Replace("S)", "string0)", StringComparison.Ordinal)
            .Replace("O,", "object0,", StringComparison.Ordinal)
            .Replace("O)", "object1)", StringComparison.Ordinal);

    private static string Start(Type type) =>
        type switch
        {
            _ when type == typeof(string) => "\"a\"",
            _ when type.IsArray => "[]",
            _ when type.IsInterface => "[]",
            _ when typeof(Delegate).IsAssignableFrom(type) => Literals[type][0],
            _ when type.GetConstructor([]) is not null && type != typeof(object) => "new()",
            _ => "null",
        };

    private string Variable(Type type) => Variable(type, _random.Next(Slots));

    private static string Variable(Type type, int slot)
    {
        var name = Names[type];
        name = name.Replace("System.Collections.Immutable.", "", StringComparison.Ordinal)
            .Replace("<", "_", StringComparison.Ordinal)
            .Replace(">", "", StringComparison.Ordinal)
            .Replace(", ", "_", StringComparison.Ordinal)
            .Replace("[]", "__", StringComparison.Ordinal);
        return name + slot.ToString(CultureInfo.InvariantCulture);
    }

    private T Pick<T>(IReadOnlyList<T> list) => list[_random.Next(list.Count)];

    private static ILookup<Type, MethodBase> Find()
    {
        var known = Names.Keys.ToHashSet();
        var all = Types
            .Concat([
                typeof(Math),
                typeof(Convert),
                typeof(Enumerable),
                typeof(Encoding),
                typeof(System.Net.WebUtility),
                typeof(System.Text.RegularExpressions.Regex),
                typeof(string),
                typeof(GC),
                typeof(Environment),
                typeof(Activator),
                typeof(Array),
            ])
            .Distinct()
            .SelectMany(t => t.GetMethods().Cast<MethodBase>().Concat(t.IsAbstract ? [] : t.GetConstructors()))
            .SelectMany(Close);
        return all.Where(m =>
                m.GetParameters().All(p => known.Contains(p.ParameterType))
                && (m.IsStatic || m is ConstructorInfo || known.Contains(m.DeclaringType!))
                && known.Contains(Result(m))
                && m.DeclaringType!.IsPublic
            )
            .ToLookup(Result);
    }

    private static Type Result(MethodBase method) =>
        method is MethodInfo info ? info.ReturnType : method.DeclaringType!;

    private static IEnumerable<MethodBase> Close(MethodBase method)
    {
        if (method is not MethodInfo { IsGenericMethodDefinition: true } generic)
            return [method];
        var closed = new List<MethodBase>();
        foreach (var type in (Type[])[typeof(int), typeof(string)])
        {
            try
            {
                closed.Add(generic.MakeGenericMethod([.. generic.GetGenericArguments().Select(_ => type)]));
            }
            catch (ArgumentException)
            {
                // The type does not meet the method's constraints.
            }
        }

        return closed;
    }
}
