namespace Pipeline.Etl.Configuration;

/// <summary>The value by which a broker recognizes repeats.</summary>
public enum DedupKey
{
    /// <summary>It does not.</summary>
    None,

    /// <summary>The message's id: the same change is taken once.</summary>
    Id,

    /// <summary>The message's key: of each key one message is taken while the broker remembers it.</summary>
    Key,
}
