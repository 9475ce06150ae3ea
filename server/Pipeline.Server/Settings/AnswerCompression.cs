namespace Pipeline.Server.Settings;

/// <summary>Which clients get compressed answers, if they accept them.</summary>
public enum AnswerCompression
{
    /// <summary>Clients on other machines.</summary>
    Remote,

    /// <summary>All clients.</summary>
    Always,

    /// <summary>No clients.</summary>
    Never,
}
