using System.Collections.Concurrent;
using System.Reflection;
using System.Text.Json;

namespace Pipeline.Yaml.Settings;

/// <summary>One key that an options class takes.</summary>
internal sealed record SettingProperty(string Key, PropertyInfo Property, SettingAttribute Attribute)
{
    public Type Type { get; } = Nullable.GetUnderlyingType(Property.PropertyType) ?? Property.PropertyType;

    /// <summary>Integers whose name ends in Bytes or BytesPerSecond take units such as 64KiB.</summary>
    public bool IsByteSize =>
        (
            Property.Name.EndsWith("Bytes", StringComparison.Ordinal)
            || Property.Name.EndsWith("BytesPerSecond", StringComparison.Ordinal)
        ) && (Type == typeof(int) || Type == typeof(long));
}

/// <summary>
/// The keys of an options class, from its properties' <see cref="SettingAttribute"/>s, in the order of declaration,
/// those of a base class first. Cached.
/// </summary>
internal sealed class SettingsType
{
    private static readonly ConcurrentDictionary<Type, SettingsType> Cache = new();

    private SettingsType(Type type)
    {
        Properties =
        [
            .. type.GetProperties(BindingFlags.Public | BindingFlags.Instance)
                .Select(p => (Property: p, Attribute: p.GetCustomAttribute<SettingAttribute>()))
                .Where(p => p.Attribute is not null)
                .OrderBy(p => Depth(p.Property.DeclaringType!))
                .ThenBy(p => p.Property.MetadataToken)
                .Select(p => new SettingProperty(
                    JsonNamingPolicy.CamelCase.ConvertName(p.Property.Name),
                    p.Property,
                    p.Attribute!
                )),
        ];
    }

    public IReadOnlyList<SettingProperty> Properties { get; }

    public static SettingsType Of(Type type) => Cache.GetOrAdd(type, static t => new SettingsType(t));

    // Tokens of two assemblies have no common order.
    private static int Depth(Type type) => type.BaseType is { } below ? 1 + Depth(below) : 0;

    public SettingProperty? Find(string key) => Properties.FirstOrDefault(p => p.Key == key);
}
