using System.Text.Json.Serialization;

namespace Pipeline.Etl.Configuration;

/// <summary>What a task's transform is written in.</summary>
public enum ScriptLanguage
{
    /// <summary>C#.</summary>
    [JsonStringEnumMemberName("csharp")]
    CSharp,

    /// <summary>JavaScript, if the program was built with its engine.</summary>
    [JsonStringEnumMemberName("javascript")]
    JavaScript,
}
