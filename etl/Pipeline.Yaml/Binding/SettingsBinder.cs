using System.Collections;
using Pipeline.Database;
using Pipeline.Yaml.Nodes;
using Pipeline.Yaml.Settings;
using Pipeline.Yaml.Variables;

namespace Pipeline.Yaml.Binding;

/// <summary>
/// Second phase: nodes to objects of options classes. Reports each value that does not fit and continues, so that all
/// faults are found at once.
/// </summary>
/// <remarks>Keys are property names in camelCase. Types: string, int, long, double, bool, enum, <see cref="TimeSpan"/>,
/// <see cref="Uri"/>, byte sizes (integers named …Bytes), lists, dictionaries by name, nested options classes,
/// <see cref="ScriptText"/>.</remarks>
internal sealed partial class SettingsBinder
{
    private readonly string _file;
    private readonly VariableExpander _expander;
    private readonly List<Diagnostic> _diagnostics;
    private readonly Dictionary<ConfigNode, string> _open = [];
    private readonly Dictionary<object, Bound> _bound = new(ReferenceEqualityComparer.Instance);
    private readonly Dictionary<Type, Func<string, ConfigNode, ScalarNode?, object?>> _special = [];

    public SettingsBinder(string file, VariableExpander expander, List<Diagnostic> diagnostics)
    {
        _file = file;
        _expander = expander;
        _diagnostics = diagnostics;
    }

    /// <summary>Has values of the type bound by the given function (path, value, key) instead.</summary>
    public void Special<T>(Func<string, ConfigNode, ScalarNode?, T?> bind)
        where T : class => _special[typeof(T)] = bind;

    /// <summary>Binds a mapping to a new object of the options class.</summary>
    /// <param name="type">The options class.</param>
    /// <param name="node">The mapping; a null value counts as an empty one.</param>
    /// <param name="key">
    /// The key that the mapping stands under, where missing keys are reported; <see langword="null"/> at the top.
    /// </param>
    /// <param name="path">The keys down to here, for messages; empty at the top.</param>
    public object? BindObject(Type type, ConfigNode node, ScalarNode? key, string path)
    {
        if (node is ScalarNode { IsNull: true } nothing)
            node = new MappingNode(nothing.Line, nothing.Column);
        if (node is not MappingNode mapping)
        {
            Report(node, $"{Named(path)} must be a mapping of keys to values, found {node.Describe()}", null);
            return null;
        }

        var result = Activator.CreateInstance(type)!;
        _bound[result] = new Bound(mapping, (ConfigNode?)key ?? mapping);
        var settings = SettingsType.Of(type);
        foreach ((var entryKey, var value) in mapping.Entries)
        {
            var setting = settings.Find(entryKey.Raw);
            if (setting is null)
            {
                var where = path.Length == 0 ? "" : $" in {path}";
                Report(
                    entryKey,
                    $"unknown key '{entryKey.Raw}'{where}",
                    Spelling.Suggest(entryKey.Raw, settings.Properties.Select(p => p.Key))
                );
                continue;
            }

            CheckUse(setting, mapping, entryKey, path);
            if (BindValue(setting, setting.Type, value, entryKey, Join(path, setting.Key)) is { } bound)
                setting.Property.SetValue(result, bound);
        }

        foreach (var setting in settings.Properties)
        {
            if (!setting.Attribute.Required || mapping.FindKey(setting.Key) is not null)
                continue;
            Report(
                (ConfigNode?)key ?? mapping,
                $"{Join(path, setting.Key)} is missing",
                $"it is required: {FirstSentence(setting.Attribute.Help)}"
            );
        }

        return result;
    }

    /// <summary>
    /// Keys that are out of use, and keys that cannot stand together; of those the later one is at fault.
    /// </summary>
    private void CheckUse(SettingProperty setting, MappingNode mapping, ScalarNode key, string path)
    {
        if (setting.Attribute.Deprecated is { } instead)
        {
            _diagnostics.Add(
                new Diagnostic(_file, key.Line, key.Column, $"{Join(path, setting.Key)} is deprecated", instead)
                {
                    IsWarning = true,
                }
            );
        }

        foreach (var other in setting.Attribute.ConflictsWith)
        {
            if (
                mapping.FindKey(other) is not { } first
                || (first.Line, first.Column).CompareTo((key.Line, key.Column)) > 0
            )
            {
                continue;
            }

            Report(
                key,
                $"{Join(path, setting.Key)} cannot stand together with '{other}' in line {first.Line}",
                "leave one of them out"
            );
        }
    }

    /// <summary>
    /// Reports a fault of a bound object at the value of one of its keys, or at the object where the key is absent.
    /// </summary>
    public void ReportAt(object bound, string key, string message, string? suggestion)
    {
        var place = _bound[bound];
        Report(place.Mapping.Find(key) ?? place.Key, message, suggestion);
    }

    /// <summary>How many faults were found so far, warnings aside.</summary>
    public int Count => _diagnostics.Count(d => !d.IsWarning);

    /// <summary>The first fault, or <see langword="null"/>.</summary>
    public Diagnostic? FirstFault => _diagnostics.Find(d => !d.IsWarning);

    /// <summary>Puts variables into values.</summary>
    public VariableExpander Expander => _expander;

    /// <summary>
    /// Whether the value of one of a bound object's keys was left open, so that nothing can be said of them together.
    /// </summary>
    public bool HasOpen(object bound) => _bound[bound].Mapping.Entries.Any(e => _open.ContainsKey(e.Value));

    /// <summary>
    /// Whether a fault within the node's first line and after its start was reported already, or its value was left
    /// open.
    /// </summary>
    public bool HasFaultAt(ConfigNode node) =>
        _open.ContainsKey(node)
        || _diagnostics.Exists(d => !d.IsWarning && d.Line == node.Line && d.Column >= node.Column);

    /// <summary>The path of a setting whose value was left open, or <see langword="null"/>.</summary>
    public string? OpenPath(ConfigNode node) => _open.GetValueOrDefault(node);

    /// <summary>The file as faults name it.</summary>
    public string File => _file;

    /// <summary>The mapping that an object was bound from.</summary>
    public ConfigNode NodeOf(object bound) => _bound[bound].Mapping;

    /// <summary>The node that a key of a bound object was read from.</summary>
    public ConfigNode? FindNode(object bound, string key) => _bound[bound].Mapping.Find(key);

    /// <summary>Reports a fault at a node.</summary>
    public void Report(ConfigNode node, string message, string? suggestion) =>
        _diagnostics.Add(new Diagnostic(_file, node.Line, node.Column, message, suggestion));

    /// <summary>Reports a fault at a place of the file.</summary>
    public void Report(int line, int column, string message, string? suggestion) =>
        _diagnostics.Add(new Diagnostic(_file, line, column, message, suggestion));

    private object? BindValue(SettingProperty setting, Type type, ConfigNode node, ScalarNode? key, string path)
    {
        if (_special.TryGetValue(type, out var special))
            return special(path, node, key);
        if (type == typeof(YamlValue))
            return new YamlValue(node);
        if (ItemType(type) is { } item)
            return BindList(setting, item, node, path);
        if (ValueType(type) is { } value)
            return BindDictionary(setting, value, node, path);
        if (IsScalar(type))
            return BindScalar(setting, type, node, path);
        return BindObject(type, node, key, path);
    }

    /// <summary>Binds a list that fills a whole file.</summary>
    public T[]? BindList<T>(ConfigNode node)
        where T : class
    {
        if (node is SequenceNode sequence)
            return [.. sequence.Items.Select((item, i) => BindObject(typeof(T), item, null, $"[{i}]")).OfType<T>()];
        Report(node, $"the file must be a list, found {node.Describe()}", null);
        return null;
    }

    private Array? BindList(SettingProperty setting, Type item, ConfigNode node, string path)
    {
        if (node is ScalarNode { IsNull: true })
            return Array.CreateInstance(item, 0);
        if (node is MappingNode single && setting.Attribute.AllowsSingle)
        {
            var one = new SequenceNode(node.Line, node.Column);
            one.Add(single);
            node = one;
        }

        if (node is not SequenceNode sequence)
        {
            var suggestion =
                node is ScalarNode scalar && !setting.Attribute.Secret && IsScalar(item)
                    ? $"write it as [{scalar.Raw}]"
                    : null;
            Report(node, $"{Named(path)} must be a list, found {Found(setting, node)}", suggestion);
            return null;
        }

        var values = new ArrayList(sequence.Items.Count);
        for (var i = 0; i < sequence.Items.Count; i++)
        {
            if (BindValue(setting, item, sequence.Items[i], null, $"{path}[{i}]") is { } value)
                values.Add(value);
        }

        return values.ToArray(item);
    }

    private IDictionary? BindDictionary(SettingProperty setting, Type valueType, ConfigNode node, string path)
    {
        var result = (IDictionary)
            Activator.CreateInstance(typeof(Dictionary<,>).MakeGenericType(typeof(string), valueType))!;
        if (node is ScalarNode { IsNull: true })
            return result;
        if (node is not MappingNode mapping)
        {
            Report(node, $"{Named(path)} must be a mapping of names to values, found {Found(setting, node)}", null);
            return null;
        }

        foreach ((var key, var value) in mapping.Entries)
        {
            if (BindValue(setting, valueType, value, key, Join(path, key.Raw)) is { } bound)
                result[key.Raw] = bound;
        }

        return result;
    }

    internal static Type? ItemType(Type type)
    {
        if (type.IsArray)
            return type.GetElementType();
        if (!type.IsGenericType)
            return null;
        var open = type.GetGenericTypeDefinition();
        return open == typeof(IReadOnlyList<>) || open == typeof(IEnumerable<>) || open == typeof(IReadOnlyCollection<>)
            ? type.GetGenericArguments()[0]
            : null;
    }

    internal static Type? ValueType(Type type)
    {
        if (!type.IsGenericType)
            return null;
        var open = type.GetGenericTypeDefinition();
        return open == typeof(IReadOnlyDictionary<,>) || open == typeof(Dictionary<,>) || open == typeof(IDictionary<,>)
            ? type.GetGenericArguments()[1]
            : null;
    }

    internal static string FirstSentence(string help)
    {
        var end = help.IndexOf(". ", StringComparison.Ordinal);
        var sentence = (end < 0 ? help : help[..end]).TrimEnd('.');
        return sentence.Length < 2 || !char.IsLower(sentence[1])
            ? sentence
            : char.ToLowerInvariant(sentence[0]) + sentence[1..];
    }

    private static string Join(string path, string key) => path.Length == 0 ? key : $"{path}.{key}";

    private static string Named(string path) => path.Length == 0 ? "the file" : path;

    private static string Found(SettingProperty setting, ConfigNode node) =>
        setting.Attribute.Secret && node is ScalarNode { IsNull: false }
            ? "something else (not shown, it is secret)"
            : node.Describe();

    private sealed record Bound(MappingNode Mapping, ConfigNode Key);
}
