using System.Text;
using Pipeline.Database;
using Pipeline.Yaml.Nodes;
using Pipeline.Yaml.Secrets;

namespace Pipeline.Yaml.Variables;

/// <summary>
/// Puts variables into scalars after the YAML is parsed, so that a value can never change the file's structure; values
/// are not expanded again.
/// </summary>
/// <remarks><c>${NAME}</c> is an error if NAME is not set. <c>${NAME:default}</c>, also written
/// <c>${NAME:-default}</c>, takes the default if NAME is not set or is empty. The default runs to the brace that closes
/// it, may hold colons and further variables. <c>${file:PATH}</c> and <c>${command:NAME}</c> are secrets. <c>$${</c>
/// stands for <c>${</c>.</remarks>
internal sealed class VariableExpander(string file, IVariableSource variables, List<Diagnostic> diagnostics)
{
    private readonly Dictionary<ConfigNode, string> _reasons = [];
    private Dictionary<string, string> _read = new(StringComparer.Ordinal);
    private bool _holdsSecret;

    /// <summary>Where <c>${file:…}</c> and <c>${command:…}</c> are read; without it they are errors.</summary>
    public SecretReader? Secrets { get; set; }

    /// <summary>Takes what <see cref="Secrets"/> gave.</summary>
    public SecretValues? Values { get; init; }

    /// <summary>
    /// Whether a variable that is not set, or a secret that cannot be read, is no error: its value is then left open.
    /// </summary>
    public bool IsLenient { get; init; }

    /// <summary>Values that are not used, and may therefore be left open; no secret is read for them.</summary>
    public IReadOnlySet<ConfigNode> Unused { get; init; } = new HashSet<ConfigNode>();

    /// <summary>
    /// Takes the references that were left open because <see cref="SecretReader.Withholds"/> says so.
    /// </summary>
    public List<(ConfigNode Node, string Reference)>? Unread { get; init; }

    /// <summary>How many values were left open so far.</summary>
    public int Open { get; private set; }

    /// <summary>The nodes whose values were left open, each with the first reason.</summary>
    public IReadOnlyDictionary<ConfigNode, string> Reasons => _reasons;

    /// <summary>
    /// The value of every reference read since <see cref="Begin"/>, by its text between the braces up to the default.
    /// </summary>
    public IReadOnlyDictionary<string, string> Read => _read;

    /// <summary>Begins a new list of read references.</summary>
    public void Begin() => _read = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// The scalar's value, or <see langword="null"/> where a variable is wrong (said in the list) or its value is left
    /// open.
    /// </summary>
    public string? Expand(ScalarNode node)
    {
        if (!node.Raw.Contains("${", StringComparison.Ordinal))
            return node.Raw;
        var result = new StringBuilder();
        _holdsSecret = false;
        var good = Expand(node, 0, node.Raw.Length, 0, result);
        if (good && result.Length > ConfigurationLimits.MaxValueLength)
        {
            Report(
                node,
                0,
                $"the value is longer than {ConfigurationLimits.MaxValueLength} characters with its variables (MaxValueLength)",
                null
            );
            good = false;
        }

        if (!good)
            return null;
        var text = result.ToString();
        if (_holdsSecret)
            Values?.AddBearer(text);
        return text;
    }

    private bool Expand(ScalarNode node, int start, int end, int depth, StringBuilder result)
    {
        var raw = node.Raw;
        var good = true;
        var i = start;
        while (i < end)
        {
            if (raw[i] != '$' || i + 1 >= end)
            {
                result.Append(raw[i++]);
            }
            else if (raw[i + 1] == '$' && i + 2 < end && raw[i + 2] == '{')
            {
                result.Append("${");
                i += 3;
            }
            else if (raw[i + 1] == '{')
            {
                if (depth == ConfigurationLimits.MaxDepth)
                {
                    Report(
                        node,
                        i,
                        $"variables stand in the defaults of others deeper than {ConfigurationLimits.MaxDepth} levels (MaxDepth)",
                        "write fewer of them within each other"
                    );
                    return false;
                }

                var close = FindClose(raw, i + 2, end);
                if (close < 0)
                {
                    Report(node, i, "'${' has no '}'", "write '$${' for the two characters themselves");
                    return false;
                }

                good &= ExpandOne(node, i, close, depth, result);
                i = close + 1;
            }
            else
            {
                result.Append(raw[i++]);
            }
        }

        return good;
    }

    private bool ExpandOne(ScalarNode node, int start, int close, int depth, StringBuilder result)
    {
        var inner = node.Raw[(start + 2)..close];
        var colon = inner.IndexOf(':', StringComparison.Ordinal);
        var name = colon < 0 ? inner : inner[..colon];
        if (!IsName(name))
        {
            Report(
                node,
                start,
                $"'{name}' is not a variable's name",
                "write ${NAME} or ${NAME:default}, or '$${' for the two characters themselves"
            );
            return false;
        }

        if (colon >= 0 && SecretReader.IsKind(name))
            return ExpandSecret(node, start, name, inner[(colon + 1)..], result);
        var isSet = variables.TryGet(name, out var value);
        _read[name] = value ?? "";
        if (isSet && (colon < 0 || value!.Length > 0))
        {
            result.Append(value);
            return true;
        }

        if (colon >= 0)
        {
            var first = start + 2 + colon + 1;
            return Expand(node, first < close && node.Raw[first] == '-' ? first + 1 : first, close, depth + 1, result);
        }

        if (IsLenient || Unused.Contains(node))
        {
            LeaveOpen(node, $"the variable {name} is not set");
            return false;
        }

        var near = Spelling.Nearest(name, variables.Names);
        var suggestion = $"set it, or give a default: ${{{name}:…}}";
        Report(
            node,
            start,
            $"the variable {name} is not set",
            near is null ? suggestion : $"did you mean {near}? Otherwise {suggestion}"
        );
        return false;
    }

    private bool ExpandSecret(ScalarNode node, int start, string kind, string name, StringBuilder result)
    {
        if (Secrets is null)
        {
            Report(node, start, $"'${{{kind}:…}}' cannot stand here", "it is for values outside 'secrets'");
            return false;
        }

        if (Unused.Contains(node))
        {
            LeaveOpen(node, "secrets are not read here");
            return false;
        }

        if (Secrets.Withholds(kind, name))
        {
            Unread?.Add((node, $"${{{kind}:{name}}}"));
            LeaveOpen(node, kind == "command" ? "commands are not run here" : "secrets are not read here");
            return false;
        }

        if (Secrets.Read(kind, name, out var fault, out var suggestion) is { } value)
        {
            _read[$"{kind}:{name}"] = value;
            Values?.Add(value);
            _holdsSecret = true;
            result.Append(value);
            return true;
        }

        if (IsLenient)
            LeaveOpen(node, fault);
        else
            Report(node, start, fault, suggestion);
        return false;
    }

    private void LeaveOpen(ScalarNode node, string reason)
    {
        Open++;
        _reasons.TryAdd(node, reason);
    }

    private static int FindClose(string text, int from, int end)
    {
        var open = 1;
        for (var i = from; i < end; i++)
        {
            if (text[i] == '{')
                open++;
            else if (text[i] == '}' && --open == 0)
                return i;
        }

        return -1;
    }

    private static bool IsName(string name) =>
        name.Length > 0 && !char.IsAsciiDigit(name[0]) && name.All(c => char.IsAsciiLetterOrDigit(c) || c == '_');

    private void Report(ScalarNode node, int offset, string message, string? suggestion)
    {
        (var line, var column) = node.Text.LocateOffset(offset);
        diagnostics.Add(new Diagnostic(file, line, column, message, suggestion));
    }
}
