namespace Pipeline.Scripting;

/// <summary>
/// C# methods and constants that several scripts share: the source holds members, as in the body of a class.
/// </summary>
/// <param name="Name">The name under which its errors are reported.</param>
/// <param name="Source">The members' text.</param>
public sealed record ScriptHelper(string Name, string Source);
