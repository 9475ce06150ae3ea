namespace Pipeline.Database.Scripts;

/// <summary>C# methods and constants that several scripts share: the source holds members, as in the body of a class.</summary>
/// <param name="Name">What errors in it are reported under.</param>
/// <param name="Source">The members' text.</param>
public sealed record ScriptHelper(string Name, string Source);
