using System.Text.Json.Serialization;

namespace Pipeline.Etl.Configuration;

/// <summary>The language of a task's transform.</summary>
public enum ScriptLanguage
{
    /// <summary>C#.</summary>
    [JsonStringEnumMemberName("csharp")]
    CSharp,

    /// <summary>JavaScript, if the program was built with its engine.</summary>
    [JsonStringEnumMemberName("javascript")]
    JavaScript,
}
