using System.Globalization;
using System.Text;

namespace Pipeline.TestKit.Queries;

/// <summary>Makes random texts that follow the grammar, from a seed.</summary>
public sealed class QueryTexts(int seed)
{
    private static readonly string[] Names =
    [
        "Name",
        "o",
        "Total",
        "Lines",
        "limit",
        "order",
        "in",
        "index",
        "@metadata",
        "a1",
        "spatial",
        "filter",
        "update",
        "desc",
    ];
    private readonly Random _random = new(seed);

    public string Query()
    {
        var text = new StringBuilder();
        if (Chance(10))
            text.Append("declare function f(a, b) { return a + '}' /* } */; } ");
        text.Append(
            Pick(
                "from Orders",
                "FROM Orders as o",
                "from index 'Orders/ByTotal'",
                "from @all_docs d",
                "from \"Odd name\" as x",
                "from 'limit' y"
            )
        );
        if (Chance(6))
            text.Append(" group by ").Append(Pick("Company", "a.b, c as d", "array(Lines[].Product)"));
        if (Chance(2))
            text.Append(Pick(" where ", "\nWhere\t")).Append(Condition(4));
        if (Chance(4))
        {
            text.Append(" order by ")
                .Append(
                    Pick(
                        "Total as long desc, 'a b'",
                        "score()",
                        "random('x') , Name as AlphaNumeric",
                        "spatial.distance(spatial.point(Lat, Lon), spatial.point(1, -2.5)) asc",
                        "id()"
                    )
                );
        }

        if (Chance(8))
            text.Append(" load o.Company as c, o.Lines[].Product as p[]");
        if (Chance(8))
            text.Append(" filter ").Append(Condition(2));
        if (Chance(3))
        {
            text.Append(
                Chance(3) ? " update { this.x = '{'; }" : " select " + (Chance(3) ? "distinct " : "") + Select()
            );
        }

        if (Chance(8))
            text.Append(" include Company, 'o.Employee', timings(), highlight(Name, 20, 2)");
        if (Chance(4))
        {
            text.Append(
                Pick(
                    " limit 10",
                    " limit 5, $p",
                    " limit $a offset 7",
                    " offset 3 limit 2",
                    " filter_limit 5",
                    " limit 1 filter_limit 0x1F"
                )
            );
        }

        return text.ToString();
    }

    private string Select() =>
        Pick(
            Value(3),
            "Name, " + Value(3) + " as x, 'a b'",
            "{ A: " + Value(3) + ", 'b c': " + Value(2) + ", ..." + Value(1) + ", Name }",
            "count(), key() as k, sum(Total)",
            "facet(Price < 10, Price >= 10 and Price < 20), facet(Name, sum(Total), avg(Total) as T)",
            "suggest(Name, 'x', $o)"
        );

    private string Condition(int depth)
    {
        if (depth == 0)
            return Field() + Pick(" = ", "!=", " <> ", "<", " >= ", "==") + Scalar();
        return _random.Next(12) switch
        {
            0 => Condition(depth - 1) + Pick(" and ", " && ", " AND not ") + Condition(depth - 1),
            1 => Condition(depth - 1) + Pick(" or ", "||", " OR not ") + Condition(depth - 1),
            2 => "(" + Condition(depth - 1) + ")",
            3 => Pick("not ", "!") + "(" + Condition(depth - 1) + ")",
            4 => Field() + Pick(" between ", " not between ") + Scalar() + " and " + Scalar(),
            5 => Field() + Pick(" in (", " ALL in (", " not in (") + Scalar() + ", " + Scalar() + ")",
            6 => Field() + " in $list",
            7 => Pick(
                "search(Name, 'a b*', and)",
                "SEARCH(Name, $p)",
                "startswith(Name, 'x')",
                "exists('a b')",
                "id() = 'x'",
                "lucene(Name, 'a\\-b')",
                "true"
            ),
            8 => Chance(2) ? "exact(" + Condition(depth - 1) + ")" : "boost(" + Condition(depth - 1) + ", 0.5)",
            9 => "intersect(" + Condition(depth - 1) + ", " + Condition(depth - 1) + ")",
            10 => "spatial.within(spatial.point(Lat, Lon), spatial.circle(100, 12.5, -3, 'miles'))",
            _ => Value(depth - 1) + Pick(" = ", " < ") + Value(depth - 1),
        };
    }

    private string Value(int depth)
    {
        if (depth == 0)
            return Pick(Field(), Scalar());
        return _random.Next(11) switch
        {
            0 => Value(depth - 1) + Pick(" + ", " - ", "*", " / ", "%") + Value(depth - 1),
            1 => "-" + Value(depth - 1),
            2 => "(" + Value(depth - 1) + ")",
            3 => Value(depth - 1) + " ? " + Value(depth - 1) + " : " + Value(depth - 1),
            4 => Field() + ".map(l => " + Value(depth - 1) + ")" + Pick("", ".join(', ')", "[0].Name", ".'a b'"),
            5 => Field() + ".reduce((a, b) => " + Value(depth - 1) + ", 0)",
            6 => Field() + "[" + Value(depth - 1) + "]" + Pick("", ".x", "?.y"),
            7 => "[" + Value(depth - 1) + ", " + Value(depth - 1) + ",]",
            8 => "{ A: " + Value(depth - 1) + ", 'b c': {}, 1: " + Value(depth - 1) + " }",
            9 => Pick(
                "id(o)",
                "load(o.Company).Name",
                "Math.round(" + Value(depth - 1) + ")",
                "getMetadata(o).'@collection'",
                "l => ({ A: " + Value(depth - 1) + " })",
                "(limit)",
                "(in)"
            ),
            _ => Pick(
                Value(depth - 1) + " && " + Value(depth - 1),
                Value(depth - 1) + " === " + Scalar(),
                "!" + Value(depth - 1)
            ),
        };
    }

    private string Field() => Pick(Names) + Pick("", "", ".Name", "[].Product", ".'odd name'", ".a.b.c", "[]");

    private string Scalar() =>
        Pick(
            "1",
            "-5",
            "2.5",
            "1e3",
            "0x1F",
            "1_000",
            "9223372036854775808",
            "-9223372036854775808",
            "'text'",
            "\"it''s\"",
            "'a\\'b\\n'",
            "''",
            "$p0",
            "null",
            "True",
            "false",
            _random.NextDouble().ToString("R", CultureInfo.InvariantCulture)
        );

    public string Pick(params string[] choices) => choices[_random.Next(choices.Length)];

    /// <summary>Changes a text somewhere: a character, a range, a word out of another place.</summary>
    public string Mutate(string text)
    {
        var changed = new StringBuilder(text);
        for (var i = _random.Next(1, 5); i > 0 && changed.Length > 0; i--)
        {
            var at = _random.Next(changed.Length);
            var length = Math.Min(_random.Next(1, 8), changed.Length - at);
            switch (_random.Next(5))
            {
                case 0:
                    changed.Remove(at, length);
                    break;
                case 1:
                    changed.Insert(at, changed.ToString(at, length));
                    break;
                case 2:
                    changed[at] = (char)_random.Next(1, _random.Next(4) == 0 ? 0x10000 : 128);
                    break;
                case 3:
                    changed.Insert(
                        at,
                        Pick(
                            "(",
                            ")",
                            "'",
                            "\"",
                            "[",
                            "]",
                            "{",
                            "}",
                            ",",
                            ".",
                            " and ",
                            " or ",
                            " not ",
                            " in ",
                            "$",
                            "--",
                            "/*",
                            "\\",
                            " order by ",
                            " select ",
                            "=>",
                            "?"
                        )
                    );
                    break;
                default:
                    var from = _random.Next(changed.Length);
                    changed.Insert(at, changed.ToString(from, Math.Min(_random.Next(1, 30), changed.Length - from)));
                    break;
            }
        }

        return changed.ToString();
    }

    private bool Chance(int of) => _random.Next(of) == 0;
}
