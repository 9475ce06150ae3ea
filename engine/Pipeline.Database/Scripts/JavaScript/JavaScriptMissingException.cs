namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>Something needs JavaScript, and this program was built without it.</summary>
public sealed class JavaScriptMissingException : NotSupportedException
{
    /// <summary>What is missing, and what to do.</summary>
    public const string Mend = "build it where the package feed has Jint (the project Pipeline.JavaScript then has its engine), or write C#";

    /// <summary>Makes the error.</summary>
    /// <param name="use">What it was needed for.</param>
    public JavaScriptMissingException(string use)
        : base($"{use} needs JavaScript, and this program was built without its engine, the package Jint: {Mend}.")
    {
    }
}
