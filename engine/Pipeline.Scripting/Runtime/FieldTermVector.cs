namespace Pipeline.Scripting.Runtime;

/// <summary>The data kept about a field's terms for each entry.</summary>
public enum FieldTermVector
{
    /// <summary>Nothing.</summary>
    No = 0,

    /// <summary>The terms.</summary>
    Yes,

    /// <summary>The terms and their positions.</summary>
    WithPositions,

    /// <summary>The terms and their places in the text.</summary>
    WithOffsets,

    /// <summary>The terms, their positions and their places in the text.</summary>
    WithPositionsAndOffsets,
}
