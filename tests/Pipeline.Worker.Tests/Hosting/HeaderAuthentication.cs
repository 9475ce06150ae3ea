using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary>Believes the name in a header: an application's authentication, for tests.</summary>
internal sealed class HeaderAuthentication(
    IOptionsMonitor<AuthenticationSchemeOptions> options,
    ILoggerFactory logger,
    UrlEncoder encoder
) : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
{
    public const string Name = "header";
    public const string Header = "X-Test-User";
    public const string Roles = "X-Test-Roles";

    protected override Task<AuthenticateResult> HandleAuthenticateAsync()
    {
        if (Request.Headers[Header] is not [{ Length: > 0 } user, ..])
            return Task.FromResult(AuthenticateResult.NoResult());
        var identity = new ClaimsIdentity(
            [
                new Claim(ClaimTypes.Name, user),
                .. Request.Headers[Roles].SelectMany(r => r!.Split(", ")).Select(r => new Claim(ClaimTypes.Role, r)),
            ],
            Name
        );
        return Task.FromResult(
            AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(identity), Name))
        );
    }
}
