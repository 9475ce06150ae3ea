namespace Pipeline.Configuration;

/// <summary>For whom the server compresses answers, if they accept it.</summary>
public enum ServerCompression
{
    /// <summary>For clients on other machines.</summary>
    Remote,

    /// <summary>For all.</summary>
    Always,

    /// <summary>For no client.</summary>
    Never,
}
