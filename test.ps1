#!/usr/bin/env pwsh
# Builds the solution, runs every test project, and ends with "N passed, N failed, N skipped". Exit code 0 only if none failed.
#   ./test.ps1                     all tests; those that need a broker which is not there are skipped (with CI=true: fail)
#   ./test.ps1 --filter NAME       arguments go to dotnet test
# The twin of ./test, for systems without bash.
$ErrorActionPreference = 'Stop'
Set-Location $PSScriptRoot
$results = Join-Path 'artifacts' 'test-results'
if (Test-Path $results) { Remove-Item $results -Recurse -Force }
New-Item $results -ItemType Directory -Force | Out-Null
$configuration = if ($env:CONFIGURATION) { $env:CONFIGURATION } else { 'Release' }

# Most processes of tests are short. The profile that the runtime gathers for later code took a fifth of the processor time.
if (-not $env:DOTNET_TieredPGO) { $env:DOTNET_TieredPGO = '0' }

dotnet build Pipeline.sln -c $configuration -v q --nologo -clp:NoSummary
if ($LASTEXITCODE -ne 0) {
    Write-Output 'the build failed' '0 passed, 1 failed, 0 skipped'
    exit 1
}

$crashed = $false
foreach ($project in Get-ChildItem 'tests' -Directory) {
    $file = Join-Path $project.FullName "$($project.Name).csproj"
    if (-not (Test-Path $file) -or -not (Select-String -Path $file -SimpleMatch '<IsTestProject>true' -Quiet)) { continue }
    Write-Output "== $($project.Name)"
    # A project that hangs must not hold the rest up.
    dotnet test $project.FullName -c $configuration --no-build --nologo --results-directory (Join-Path $results $project.Name) `
        --logger "trx;LogFileName=$($project.Name).trx" --logger 'console;verbosity=minimal' `
        --blame-hang-timeout 5m --blame-hang-dump-type none @args
    if ($LASTEXITCODE -ne 0) { $crashed = $true }
}

$total = 0; $executed = 0; $passed = 0
$reasons = @{}
foreach ($trx in Get-ChildItem $results -Recurse -Filter '*.trx') {
    $run = ([xml](Get-Content $trx.FullName -Raw)).TestRun
    $counters = $run.ResultSummary.Counters
    $total += [int]$counters.total; $executed += [int]$counters.executed; $passed += [int]$counters.passed
    foreach ($result in @($run.Results.UnitTestResult)) {
        if ($result.outcome -in 'Failed', 'Error', 'Timeout', 'Aborted') {
            Write-Output "failed: $($result.testName)" "    $($result.Output.ErrorInfo.Message)"
        }
        elseif ($result.outcome -eq 'NotExecuted') {
            $reason = "$($result.Output.ErrorInfo.Message)"
            $reasons[$reason] = 1 + [int]$reasons[$reason]
        }
    }
}
# A test that was running when its project crashed is in no result file, so the exit codes count too.
$failed = $executed - $passed
if ($crashed -and $failed -eq 0) { $failed = 1 }
foreach ($reason in $reasons.Keys) { Write-Output "skipped $($reasons[$reason]): $reason" }
Write-Output "$passed passed, $failed failed, $($total - $executed) skipped"
exit [int]($failed -gt 0)
