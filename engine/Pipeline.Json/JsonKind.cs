namespace Pipeline.Json;

/// <summary>The kind of a JSON value.</summary>
public enum JsonKind
{
    /// <summary>
    /// No value at all: the default <see cref="BinaryValue"/>, as given for a property that an object lacks.
    /// </summary>
    None = 0,

    /// <summary>The literal <c>null</c>.</summary>
    Null,

    /// <summary><c>true</c> or <c>false</c>.</summary>
    Boolean,

    /// <summary>A number of any size and precision.</summary>
    Number,

    /// <summary>A string.</summary>
    String,

    /// <summary>An array.</summary>
    Array,

    /// <summary>An object.</summary>
    Object,
}
