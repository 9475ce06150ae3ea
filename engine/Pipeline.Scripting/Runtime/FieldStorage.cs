namespace Pipeline.Scripting.Runtime;

/// <summary>Whether a field's values are stored in an index.</summary>
public enum FieldStorage
{
    /// <summary>They are not.</summary>
    No = 0,

    /// <summary>They are.</summary>
    Yes,
}
