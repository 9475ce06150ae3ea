namespace Pipeline.Server.Hosting;

/// <summary>For whom answers are compressed, if they accept it.</summary>
public enum AnswerCompression
{
    /// <summary>For clients on other machines.</summary>
    Remote,

    /// <summary>For all.</summary>
    Always,

    /// <summary>For nobody.</summary>
    Never,
}
