using System.Globalization;
using System.Text;
using Jint;
using Jint.Native;
using Jint.Native.Object;
using Jint.Runtime.Interop;

namespace Pipeline.JavaScript;

/// <summary>
/// The replacement text of <c>replace</c> and <c>replaceAll</c>, with <c>$1</c>, <c>$&amp;</c> and the like. It is
/// built match by match, so that the length of the result is counted.
/// </summary>
internal sealed class Replacement(RunLimits limits, string template)
{
    private long _length;

    /// <summary>
    /// The function that the built-in calls for each match: the match, its groups, its position, the text, and the
    /// named groups.
    /// </summary>
    public ClrFunction ToFunction(Engine engine) =>
        new(
            engine,
            "replacement",
            (_, arguments) =>
            {
                limits.Enter();
                var made = Make(arguments);
                limits.CheckText(_length += made.Length);
                return JsString.Create(made);
            }
        );

    private string Make(JsValue[] arguments)
    {
        var named = arguments[^1] as ObjectInstance;
        var end = arguments.Length - (named is null ? 2 : 3);
        string matched = arguments[0].ToString(),
            text = arguments[end + 1].ToString();
        var position = (int)arguments[end].AsNumber();
        var made = new StringBuilder();
        for (var i = 0; i < template.Length; i++)
        {
            var next = template[i] == '$' && i + 1 < template.Length ? template[i + 1] : '\0';
            switch (next)
            {
                case '$':
                    made.Append('$');
                    i++;
                    break;
                case '&':
                    made.Append(matched);
                    i++;
                    break;
                case '`':
                    made.Append(text, 0, position);
                    i++;
                    break;
                case '\'':
                    made.Append(
                        text,
                        Math.Min(text.Length, position + matched.Length),
                        Math.Max(0, text.Length - position - matched.Length)
                    );
                    i++;
                    break;
                case >= '0' and <= '9' when Group(i + 1, end - 1, out var digits) is var group and > 0:
                    if (!arguments[group].IsUndefined())
                        made.Append(arguments[group]);
                    i += digits;
                    break;
                case '<' when named is not null && template.IndexOf('>', i) is var close and > 0:
                    var value = named.Get(template[(i + 2)..close]);
                    if (!value.IsUndefined())
                        made.Append(value);
                    i = close;
                    break;
                default:
                    made.Append(template[i]);
                    break;
            }

            limits.CheckText(_length + made.Length);
        }

        return made.ToString();
    }

    /// <summary>The number of a group, of two digits if there are enough groups; 0 for none.</summary>
    private int Group(int start, int groups, out int digits)
    {
        for (
            digits = start + 1 < template.Length && char.IsAsciiDigit(template[start + 1]) ? 2 : 1;
            digits > 0;
            digits--
        )
        {
            var group = int.Parse(template.AsSpan(start, digits), NumberStyles.None, CultureInfo.InvariantCulture);
            if (group >= 1 && group <= groups)
                return group;
        }

        return 0;
    }
}
