namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Receives the entries of a map or reduce, value by value. Fields come in the order of the definition, several values
/// of a field one after the other (an array causes one call for each element, an empty one causes none). Called on the
/// thread of the run; spans are valid only during the call. If the run throws, the receiver must discard all output
/// since the run began.
/// </summary>
public interface IIndexOutput
{
    /// <summary>An entry begins.</summary>
    void BeginEntry();

    /// <summary>Null, or a missing property.</summary>
    void Null(MapField field);

    /// <summary>True or false.</summary>
    void Boolean(MapField field, bool value);

    /// <summary>A whole number.</summary>
    void Integer(MapField field, long value);

    /// <summary>Any other number.</summary>
    void Real(MapField field, double value);

    /// <summary>A text; dates are texts in ISO 8601 form.</summary>
    void Text(MapField field, ReadOnlySpan<byte> utf8);

    /// <summary>An object, as compact JSON.</summary>
    void Json(MapField field, ReadOnlySpan<byte> utf8);

    /// <summary>A point in degrees.</summary>
    void Point(MapField field, double latitude, double longitude);

    /// <summary>A shape as well-known text.</summary>
    void Shape(MapField field, string wkt);

    /// <summary>
    /// A reduce's whole output for the entry, as a JSON object; the last call before the entry's end. Maps do not call
    /// it.
    /// </summary>
    void Object(ReadOnlySpan<byte> utf8Json);

    /// <summary>The entry is whole.</summary>
    void EndEntry();
}
