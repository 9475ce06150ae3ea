using System.Reflection;

namespace Pipeline.Client;

/// <summary>
/// The name under which events of a class are stored. Without it, that is the class's own name without namespace, so
/// give the attribute before you rename a class.
/// </summary>
/// <param name="name">The name: at most 4,096 bytes of UTF-8.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct, Inherited = false)]
public sealed class EventNameAttribute(string name) : Attribute
{
    /// <summary>The name.</summary>
    public string Name { get; } = name;

    internal static string Of(Type type) => type.GetCustomAttribute<EventNameAttribute>()?.Name ?? type.Name;
}
