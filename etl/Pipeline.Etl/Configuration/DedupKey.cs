namespace Pipeline.Etl.Configuration;

/// <summary>The value by which a broker recognizes repeats.</summary>
public enum DedupKey
{
    /// <summary>The broker does not recognize repeats.</summary>
    None,

    /// <summary>The message's id: the broker accepts each change once.</summary>
    Id,

    /// <summary>The message's key: the broker accepts one message per key while it remembers the key.</summary>
    Key,
}
