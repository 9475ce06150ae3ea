using Pipeline.Etl.Connectors;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>server.certificate</c>.</summary>
public sealed class ServerCertificateConfiguration
{
    /// <summary>The certificate; absolute after loading.</summary>
    [Setting("PFX file, or PEM file, relative to this file.", Required = true)]
    public string File { get; internal set; } = "";

    /// <summary>The key; absolute after loading.</summary>
    [Setting("PEM file of the private key, if 'file' does not contain it.")]
    public string? Key { get; internal set; }

    /// <summary>The password.</summary>
    [Setting("Password of the PFX file, or of an encrypted key.", Secret = true)]
    public string? Password { get; init; }
}
