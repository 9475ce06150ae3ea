namespace Pipeline.Indexing;

/// <summary>
/// A field of an index. Fields have no type; their values have. Immutable; an index has one object for each of its
/// fields.
/// </summary>
public sealed class IndexField
{
    /// <summary>The most bytes that a name may have, in UTF-8.</summary>
    public const int MaxNameLength = 512;

    internal IndexField(int number, string name, FieldOptions options) =>
        (Number, Name, Options) = (number, name, options);

    /// <summary>The number by which stored keys name it, from 0 on in order of definition.</summary>
    public int Number { get; }

    /// <summary>Its name; case matters.</summary>
    public string Name { get; }

    /// <summary>How its values are indexed.</summary>
    public FieldOptions Options { get; }

    /// <inheritdoc/>
    public override string ToString() => Name;
}
