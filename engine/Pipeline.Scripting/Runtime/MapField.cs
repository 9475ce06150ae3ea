using Pipeline.Scripting.Indexes;

namespace Pipeline.Scripting.Runtime;

/// <summary>A field for which a map returns values. Immutable.</summary>
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

    /// <summary>
    /// Its place in <see cref="IndexScript.Fields"/>; -1 for one that was named by <c>CreateField</c>.
    /// </summary>
    public int Number { get; }

    /// <summary>Whether the map named it as it ran.</summary>
    public bool IsDynamic => Number < 0;

    /// <summary>How the map wants it indexed; <see langword="null"/> as the definition says.</summary>
    public CreateFieldOptions? Options { get; }
}
