namespace Pipeline.Server.Protocol;

/// <summary>The version of RavenDB's client protocol that the server speaks.</summary>
internal static class ProtocolVersion
{
    public const string Text = "5.4.200";
}
