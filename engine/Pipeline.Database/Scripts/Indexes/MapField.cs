using Pipeline.Database.Scripts.Runtime;

namespace Pipeline.Database.Scripts.Indexes;

/// <summary>A field that a map gives values for. Immutable.</summary>
public sealed class MapField
{
    internal MapField(string name, int number, CreateFieldOptions? options)
    {
        Name = name;
        Number = number;
        Options = options;
    }

    /// <summary>Its name.</summary>
    public string Name { get; }

    /// <summary>Its place in <see cref="IndexScript.Fields"/>; -1 for one that was named by <c>CreateField</c>.</summary>
    public int Number { get; }

    /// <summary>Whether the map named it as it ran.</summary>
    public bool IsDynamic => Number < 0;

    /// <summary>How the map wants it indexed; <see langword="null"/> as the definition says.</summary>
    public CreateFieldOptions? Options { get; }
}
