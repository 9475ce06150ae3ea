namespace Pipeline.Indexing;

/// <summary>Order by the first value of a field.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Form">What values are compared as.</param>
/// <param name="Descending">Whether the greatest come first.</param>
public sealed record FieldOrder(string Field, SortForm Form, bool Descending = false) : SearchOrder(Descending);
